/** Whether the text is on the clipboard now. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** For pages that are not a secure context, where there is no clipboard object. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'visually-hidden'
  document.body.append(field)
  field.select()
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the only other way
    return document.execCommand('copy')
  } finally {
    field.remove()
  }
}
