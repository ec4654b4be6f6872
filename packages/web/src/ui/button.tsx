import { Check, Copy } from 'lucide-react'
import { Tooltip } from 'radix-ui'
import {
  type ComponentProps,
  createContext,
  type FocusEvent,
  type ReactNode,
  useContext,
  useEffect,
  useState,
} from 'react'
import { isFocusMovedByKey } from '../platform/keyboard.ts'
import { t } from '../texts/t.ts'
import './button.css'

export function Button({
  kind = 'plain',
  className = '',
  ...rest
}: ComponentProps<'button'> & { kind?: 'plain' | 'primary' | 'danger' | 'quiet' }) {
  return <button type="button" className={`button button-${kind} ${className}`} {...rest} />
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** Accessible name and tooltip. */
  label: string
  shortcut?: string
  children: ReactNode
}

/** Shows no tooltip for a focus by touch or by code, for example from a closed dialog: nothing would hide it. */
function skipOtherFocus(event: FocusEvent): void {
  if (!isFocusMovedByKey()) event.preventDefault()
}

export function IconButton({ label, shortcut, children, className = '', ...rest }: IconButtonProps) {
  const around = useContext(DialogContext)
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild onFocus={skipOtherFocus}>
        <button type="button" aria-label={label} className={`icon-button ${className}`} {...rest}>
          {children}
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal container={around}>
        <Tooltip.Content
          className="tooltip"
          sideOffset={6}
          collisionPadding={8}
          onEscapeKeyDown={({ target }) => {
            // The tooltip consumes Escape, but on a dialog's button the user wants to close the dialog.
            if (target instanceof Element && target.matches('.icon-button')) requestClose(around)
          }}
        >
          {label}
          {shortcut !== undefined && <kbd>{shortcut}</kbd>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

export function CopyButton({ text, label = t.ui.copy }: { text: string; label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), 1600)
    return () => clearTimeout(timer)
  }, [state])
  const shown = { ready: label, copied: t.ui.copied, failed: t.ui.copyFailed }[state]
  return (
    <IconButton
      label={shown}
      onClick={() => void copyText(text).then((copied) => setState(copied ? 'copied' : 'failed'))}
    >
      {state === 'copied' ? <Check /> : <Copy />}
    </IconButton>
  )
}

/** Resolves with true if copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Fallback for insecure contexts, which have no clipboard API. */
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

/** Closes a dialog like Escape: a cancel listener can prevent it. */
export function requestClose(dialog: HTMLDialogElement | null): void {
  if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true })) === true) dialog.close()
}

/** Enclosing open dialog. Render overlays into it, or they end up behind it. */
export const DialogContext = createContext<HTMLDialogElement | null>(null)
