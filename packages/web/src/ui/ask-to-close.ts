/** Closes a dialog as Escape does: whoever has a reason against it hears of it first. */
export function requestClose(dialog: HTMLDialogElement | null): void {
  if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true })) === true) dialog.close()
}
