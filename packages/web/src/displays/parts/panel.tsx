import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import './panel.css'

export interface DisplayPanelProps {
  /** For a screen reader. */
  label: string
  head: ReactNode
  /** Small print beside the head. */
  facts?: ReactNode
  copy?: { text: string; label: string }
  foot?: ReactNode
  children?: ReactNode
}

/** The room that all displays share: what it is, how much, and a way to take it along. */
export function DisplayPanel({ label, head, facts, copy, foot, children }: DisplayPanelProps) {
  return (
    <figure className="panel" aria-label={label}>
      <figcaption className="panel-head">
        <span className="panel-name">{head}</span>
        {facts !== undefined && facts !== false && <span className="panel-facts">{facts}</span>}
        {copy !== undefined && <CopyButton text={copy.text} label={copy.label} />}
      </figcaption>
      {children}
      {foot !== undefined && foot !== false && <p className="panel-foot">{foot}</p>}
    </figure>
  )
}
