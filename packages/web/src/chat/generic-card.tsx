import { editedText } from '@troupe/core/protocol'
import type { ReactNode } from 'react'
import { translateServerText } from '../texts/said.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { findDisplay } from './display-registry.ts'
import type { FoundDisplay } from './display-registry.ts'
import type { CardProps, ToolCall } from './tool-call.ts'
import { ToolFrame } from './tool-frame.tsx'
import { ValueView } from './value-view.tsx'

export interface GenericCardProps extends CardProps {
  title?: ReactNode
  summary?: ReactNode
  /** What the call does, as a display, for as long as it has no result. */
  preview?: unknown
  /** How it goes, in a way of its own. */
  underway?: ReactNode
  /** What can be done about an error; shown with it. */
  wayOn?: ReactNode
}

/**
 * The card of every tool that has none of its own. What the tool shows has a kind: that display. Else what went in, how
 * it goes, what came out.
 */
export function GenericCard({ call, preview, underway, wayOn, ...head }: GenericCardProps) {
  const { notes, approval, progress } = call
  const isWaiting = call.state === 'approval-requested'
  const isDone = call.state === 'output-available'
  const asked = (notes.permission ?? approval?.descriptor)?.content
  const result = isDone ? findDisplay(notes.display?.content) : undefined
  const planned = isDone ? undefined : (findDisplay(preview) ?? findDisplay(asked))
  const found = result ?? planned
  const opens = isWaiting || progress !== undefined || wayOn !== undefined || (result?.opens ?? false)
  return (
    <ToolFrame call={call} {...head} open={opens} keepsOpen isBad={result?.isBad === true}>
      {found !== undefined && <found.Display content={withProgress(found, call)} live={!isDone} />}
      {isWaiting && planned === undefined && asked !== undefined && asked !== null && (
        <Section title={t.calls.wants}>
          <ValueView value={asked} />
        </Section>
      )}
      {found === undefined && hasContent(call.input) && (
        <Section title={inputTitle(call)}>
          <ValueView value={call.input} />
        </Section>
      )}
      {notes.executedInput !== undefined && (
        <Section title={notes.rewrittenBy === undefined ? t.calls.ranAsEdited : t.calls.ranAsHooked}>
          <ValueView value={notes.executedInput} />
        </Section>
      )}
      {!isDone && <ProgressView call={call} planned={planned} />}
      {underway}
      {isDone && result === undefined && (
        <Section title={t.calls.result}>
          <ValueView value={notes.display?.content ?? call.output} />
        </Section>
      )}
      <Outcome call={call} />
      {wayOn}
      {found !== undefined && <Details call={call} />}
    </ToolFrame>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="tool-section">
      <h4>{title}</h4>
      {children}
    </div>
  )
}

/** A terminal that is shown before its command has ended shows what was printed so far. */
function withProgress({ content }: FoundDisplay, { state, progress }: ToolCall): FoundDisplay['content'] {
  if (state === 'output-available' || content.kind !== 'terminal' || progress === undefined) return content
  return { ...content, text: progress.text }
}

/** Text that a running tool yields is shown as it would be in a terminal. */
function ProgressView({ call: { progress }, planned }: { call: ToolCall; planned: FoundDisplay | undefined }) {
  if (progress === undefined) return null
  const printed =
    planned?.content.kind === 'terminal' || progress.text === ''
      ? undefined
      : findDisplay({ kind: 'terminal', text: progress.text })
  return (
    <>
      {printed !== undefined && <printed.Display content={printed.content} live />}
      {progress.last !== undefined && (
        <Section title={t.calls.progress}>
          <ValueView value={progress.last} />
        </Section>
      )}
    </>
  )
}

function Outcome({ call: { state, errorText, approval, stopped } }: CardProps) {
  if (stopped) return <p className="tool-remark">{t.calls.youStopped}</p>
  if (errorText !== undefined) {
    return (
      <Section title={t.calls.error}>
        <p className="tool-error">
          <VisibleText text={translateServerText(errorText, 'text')} />
        </p>
      </Section>
    )
  }
  if (state !== 'output-denied') return null
  return (
    <p className="tool-remark">
      {approval?.reason === undefined ? t.calls.youDenied : <VisibleText text={whyNot(approval)} />}
    </p>
  )
}

function whyNot({ reason = '', isAutomatic }: NonNullable<CardProps['call']['approval']>): string {
  const isRemark = isAutomatic !== true && !reason.startsWith(editedText)
  return isRemark ? t.calls.youSaid(reason) : t.calls.notRun(reason)
}

/** What a display leaves out: the call as the model made it, and what the model read in the end. */
function Details({ call }: CardProps) {
  const { input, notes } = call
  return (
    <details className="tool-details">
      <summary>{t.calls.details}</summary>
      {hasContent(input) && (
        <Section title={inputTitle(call)}>
          <ValueView value={input} />
        </Section>
      )}
      {notes.modelText !== undefined && (
        <Section title={t.calls.modelRead}>
          <ValueView value={notes.modelText} />
        </Section>
      )}
    </details>
  )
}

function inputTitle({ name, notes }: ToolCall): string {
  return notes.executedInput === undefined ? t.calls.inputOf(name) : t.calls.modelGave
}

function hasContent(input: unknown): boolean {
  if (input === undefined || input === null || input === '') return false
  return typeof input !== 'object' || Object.keys(input).length > 0
}
