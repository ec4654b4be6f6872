/** Closes a dialog as Escape does: whoever has a reason against it hears of it first. */
export function askToClose(dialog: HTMLDialogElement | null): void {
  if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true })) === true) dialog.close()
}
