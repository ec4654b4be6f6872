import { copyText } from '../ui/copy-text.ts'

/** Adds to sanitised prose what markdown has no words for: tables that scroll, a copy button on code inside lists. Once. */
export function dressProse(root: HTMLElement): void {
  for (const table of root.querySelectorAll(':not(.table-scroll) > table')) {
    const frame = document.createElement('div')
    frame.className = 'table-scroll'
    frame.tabIndex = 0
    frame.setAttribute('role', 'group')
    frame.setAttribute('aria-label', 'Table')
    table.replaceWith(frame)
    frame.append(table)
  }
  for (const code of root.querySelectorAll<HTMLElement>(':not(.code-inline-block) > pre')) {
    const frame = document.createElement('div')
    frame.className = 'code-inline-block'
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'code-copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => {
      void copyText(code.textContent).then((copied) => {
        button.textContent = copied ? 'Copied' : 'Copying failed'
      })
    })
    code.replaceWith(frame)
    frame.append(button, code)
    code.tabIndex = 0
  }
}
