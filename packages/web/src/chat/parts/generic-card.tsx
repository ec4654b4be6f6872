import { isRefusedAnswer } from '@troupe/protocol'
import type { ReactNode } from 'react'
import { isRecord, textIn } from '../../api/read-fields.ts'
import { ValueView } from '../../displays/parts/display-parts.tsx'
import { findDisplay, type FoundDisplay } from '../../displays/parts/display-registry.ts'
import { formatDuration } from '../../texts/format.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import '../../texts/show-cards.ts'
import { useTeam } from '../../state/team.tsx'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import type { CardProps, MediaProgress, ToolCall } from '../session/message-parts.ts'
import './media-card.css'
import { ToolFrame } from './tool-frame.tsx'

interface GenericCardProps extends CardProps {
  title?: ReactNode
  summary?: ReactNode
  /** Display of the pending call, shown until it has a result. */
  preview?: unknown
  underway?: ReactNode
  wayOn?: ReactNode
}

/**
 * Default card for tools without their own. Uses the tool's display if it has one, otherwise input, progress and
 * output.
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
      {isWaiting && planned === undefined && asked !== undefined && asked !== null && !isOneOf(asked, call.input) && (
        <Section title={t.calls.requestedInput}>
          <ValueView value={asked} />
        </Section>
      )}
      {found === undefined && hasContent(call.input) && !(isWaiting && isAllOf(asked, call.input)) && (
        <Section title={inputTitle(call)}>
          <ValueView value={call.input} />
        </Section>
      )}
      {notes.partly !== undefined && (
        <Section title={t.calls.partly(notes.partly.accepted, notes.partly.total)}>
          <ValueView value={notes.partly.rejected} />
          {notes.partly.remark !== undefined && (
            <p className="tool-remark">
              <VisibleText text={t.calls.partlyNote(notes.partly.remark)} />
            </p>
          )}
        </Section>
      )}
      {notes.executedInput !== undefined && notes.partly === undefined && (
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
      <p className="tool-section-title">{title}</p>
      {children}
    </div>
  )
}

/** Adds the output so far to a terminal whose command is still running. */
function withProgress({ content }: FoundDisplay, { state, progress }: ToolCall): FoundDisplay['content'] {
  if (state === 'output-available' || content.kind !== 'terminal' || progress === undefined) return content
  return { ...content, text: progress.text }
}

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
  // In a team, somebody else may have decided.
  const isTeam = useTeam(({ page }) => page !== null)
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
      {approval?.reason === undefined ? (
        isTeam ? (
          t.calls.wasDenied
        ) : (
          t.calls.youDenied
        )
      ) : (
        <VisibleText text={whyNot(approval)} />
      )}
    </p>
  )
}

function whyNot({ reason = '', isAutomatic }: NonNullable<CardProps['call']['approval']>): string {
  const isRemark = isAutomatic !== true && !isRefusedAnswer(reason)
  return isRemark ? t.calls.deniedWithNote(reason) : t.calls.notRun(translateServerText(reason, 'text'))
}

/** Raw input and the output that the model read, which displays leave out. */
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
        <Section title={t.calls.sentToModel}>
          <ValueView value={notes.modelText} />
        </Section>
      )}
    </details>
  )
}

function inputTitle({ name, notes }: ToolCall): string {
  return notes.executedInput === undefined ? t.calls.inputOf(name) : t.calls.originalInput
}

function hasContent(input: unknown): boolean {
  if (input === undefined || input === null || input === '') return false
  return typeof input !== 'object' || Object.keys(input).length > 0
}

/** True if the input, shown in full, has the text that needs approval among other values. */
function isOneOf(asked: unknown, input: unknown): boolean {
  return isRecord(input) && Object.values(input).includes(asked) && !isAllOf(asked, input)
}

/** True if the text that needs approval is the only value of the input, which would say it again. */
function isAllOf(asked: unknown, input: unknown): boolean {
  if (typeof asked !== 'string') return false
  return input === asked || (isRecord(input) && Object.values(input).every((value) => value === asked))
}

interface CommandCardProps extends CardProps {
  /** Input field with the command. Defaults to the whole input. */
  field?: string
}

/** Card for command tools. Shows the exact command before it runs, then its output. */
export function CommandCard({ call, field }: CommandCardProps) {
  const { input, state, notes } = call
  const given = field === undefined ? input : isRecord(input) ? input[field] : undefined
  const command = typeof given === 'string' ? given : undefined
  const description = isRecord(input) ? input['description'] : undefined
  // Until the tool reports its display, use the description written with the command.
  const isNamed = state === 'approval-requested' || notes.display !== undefined
  return (
    <GenericCard
      call={call}
      {...(!isNamed &&
        typeof description === 'string' && { title: description, summary: command?.trim().split('\n', 1)[0] })}
      preview={command === undefined ? undefined : { kind: 'terminal', command }}
    />
  )
}

/** Card for image and video tools. Shows progress, and help if nothing was generated. */
export function MediaCard({ call }: CardProps) {
  const { progress, notes, running, errorText, stopped } = call
  const prompt = isRecord(call.input) ? textIn(call.input['prompt']) : undefined
  // Show the possible cost only until the call is approved.
  const isApproved = call.state !== 'approval-requested' && notes.display === undefined
  const problem = errorText === undefined || stopped ? undefined : t.cards.mediaProblems[notes.errorCode ?? '']
  return (
    <GenericCard
      call={call}
      {...(isApproved && prompt !== undefined && { summary: prompt })}
      {...(running && progress?.media !== undefined && { underway: <MediaProgressBar {...progress.media} /> })}
      {...(problem !== undefined && { wayOn: <MediaProblem problem={problem} code={notes.errorCode ?? ''} /> })}
    />
  )
}

function MediaProgressBar({ model, elapsedMs, progress }: MediaProgress) {
  return (
    <label className="media-making">
      <span>
        <VisibleText text={model === undefined ? t.cards.generating : t.cards.generatingBy(model)} as="name" />
        {elapsedMs !== undefined && <span className="media-time">{formatDuration(elapsedMs)}</span>}
      </span>
      {/* Without a value, the progress bar is indeterminate. */}
      <progress {...(progress !== undefined && { value: progress, max: 1 })} />
    </label>
  )
}

function MediaProblem({ problem, code }: { problem: string; code: string }) {
  const { app } = useWorkspace()
  return (
    <div className="media-problem">
      <p>{problem}</p>
      {code !== 'generation_failed' && (
        <Button onClick={() => app.openSettings('models')}>{t.cards.mediaSettings}</Button>
      )}
    </div>
  )
}
