import { MessageCircleQuestion } from 'lucide-react'
import type { ReactNode } from 'react'
import { isRecord } from '../displays/parts/read-fields.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Group } from '../ui/group.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { ValueView } from './value-view.tsx'
import './ask-part.css'

export interface AskFrameProps {
  title: string
  /** The title is said inside. */
  untitled?: boolean
  open?: boolean
  children: ReactNode
}

export function AskFrame({ title, untitled = false, open = false, children }: AskFrameProps) {
  return (
    <Group
      className={open ? 'ask ask-open' : 'ask'}
      label={title}
      {...(open && { tabIndex: -1, 'data-focus-home': '' })}
    >
      {!untitled && (
        <h4 className="ask-title">
          <MessageCircleQuestion aria-hidden />
          <VisibleText text={title} />
        </h4>
      )}
      {children}
    </Group>
  )
}

/** Text and plans are Markdown, everything else is what it is. */
export function AskContent({ content }: { content: unknown }) {
  const text = isRecord(content) ? content['plan'] : content
  if (typeof text === 'string') return <Markdown text={text} done />
  return content === undefined || content === null ? null : <ValueView value={content} />
}
