import { type ReactNode, type Ref, useState } from 'react'
import { webAddress } from '../../api/read-fields.ts'
import { t } from '../../texts/t.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import './panel.css'
import './path-name.css'
import './value-view.css'
import './web-link.css'

interface DisplayPanelProps {
  label: string
  head: ReactNode
  facts?: ReactNode
  /** Icon buttons before the copy button. */
  actions?: ReactNode
  copy?: { text: string; label: string }
  foot?: ReactNode
  children?: ReactNode
  ref?: Ref<HTMLElement>
}

export function DisplayPanel({ label, head, facts, actions, copy, foot, children, ref }: DisplayPanelProps) {
  return (
    <figure ref={ref} className="panel" aria-label={label}>
      <figcaption className="panel-head">
        <span className="panel-name">{head}</span>
        {facts !== undefined && facts !== false && <span className="panel-facts">{facts}</span>}
        {actions !== undefined && actions !== false && <span className="panel-actions">{actions}</span>}
        {copy !== undefined && <CopyButton text={copy.text} label={copy.label} />}
      </figcaption>
      {children}
      {foot !== undefined && foot !== false && <p className="panel-foot">{foot}</p>}
    </figure>
  )
}

export function PathName({ path }: { path: string }) {
  const cut = path.replace(/\/+$/, '').lastIndexOf('/') + 1
  return (
    <span className="path">
      <span className="path-folder">
        <VisibleText text={path.slice(0, cut)} as="name" />
      </span>
      <span className="path-name">
        <VisibleText text={path.slice(cut)} as="name" />
      </span>
    </span>
  )
}

/** Links the title if the URL is a web address. Otherwise shows plain text. */
export function WebLink({ url, text }: { url: string; text: string }) {
  const address = webAddress(url)
  const shown = <VisibleText text={text} />
  if (address === undefined) return <span className="web-link">{shown}</span>
  return (
    <a className="web-link" href={address.href} title={address.href} target="_blank" rel="noopener noreferrer nofollow">
      {shown}
    </a>
  )
}

/** Pages through a long list: few entries first, many more per step. */
export function useShowMore(
  total: number,
  first: number,
  step = 1000,
): { shown: number; left: number; grow: () => void } {
  const [wanted, setWanted] = useState(first)
  // Show a slightly longer list in full.
  const shown = total <= wanted + first / 4 ? total : wanted
  return { shown, left: total - shown, grow: () => setWanted(shown + step) }
}

export function ValueView({ value }: { value: unknown }) {
  if (typeof value === 'string') return <LongText text={value} />
  if (isPlain(value)) {
    return (
      <dl className="value-fields">
        {Object.entries(value).map(([name, field]) => (
          <div key={name} className="value-field">
            <dt>
              <VisibleText text={name} as="name" />
            </dt>
            <dd>
              <LongText text={typeof field === 'string' ? field : toJson(field)} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  return <LongText text={toJson(value)} />
}

const shownAtFirst = 6000

function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  const cut = !whole && text.length > shownAtFirst
  return (
    <>
      <pre className="value-text" tabIndex={text.length > 400 ? 0 : undefined}>
        <VisibleText text={cut ? text.slice(0, shownAtFirst) : text} as="exact" />
      </pre>
      {cut && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          {t.chat.showAllCharacters(text.length.toLocaleString())}
        </Button>
      )}
    </>
  )
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value)
}
