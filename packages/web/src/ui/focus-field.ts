/** As `ref` of a field that a person has just asked for: it takes the focus when it appears. */
export function focusOnMount(field: HTMLElement | null): void {
  field?.focus()
}
