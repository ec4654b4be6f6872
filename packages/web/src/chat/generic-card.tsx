import { showInvisible } from '../ui/format.ts'
import type { CardProps, ToolCall } from './tool-call.ts'
import { ToolFrame } from './tool-frame.tsx'
import { ValueView } from './value-view.tsx'

/** The card of every tool that has none of its own: what went in, how it goes, what came out. */
export function GenericCard({ call }: CardProps) {
  const { input, output, errorText, notes, approval } = call
  const asked = notes.permission ?? approval?.descriptor
  const content = notes.display?.content ?? output
  return (
    <ToolFrame call={call} open={call.state === 'approval-requested' || call.progress !== undefined}>
      {call.state === 'approval-requested' && asked?.content !== undefined && asked.content !== null && (
        <Section title="What it wants to do">
          <ValueView value={asked.content} />
        </Section>
      )}
      {hasContent(input) && (
        <Section title={`Input of ${call.name}`}>
          <ValueView value={input} />
        </Section>
      )}
      {notes.executedInput !== undefined && (
        <Section title="Ran with the input that you edited">
          <ValueView value={notes.executedInput} />
        </Section>
      )}
      {call.state !== 'output-available' && <ProgressView call={call} />}
      {call.state === 'output-available' && (
        <Section title="Result">
          <ValueView value={content} />
        </Section>
      )}
      {errorText !== undefined && (
        <Section title="Error">
          <p className="tool-error">{showInvisible(errorText)}</p>
        </Section>
      )}
      {call.state === 'output-denied' && (
        <p className="tool-remark">
          {approval?.reason === undefined ? 'You denied this call, and it was not run.' : `Not run: ${approval.reason}`}
        </p>
      )}
    </ToolFrame>
  )
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className="tool-section">
      <h4>{title}</h4>
      {children}
    </div>
  )
}

function ProgressView({ call: { progress } }: { call: ToolCall }) {
  if (progress === undefined) return null
  return (
    <Section title="Progress">
      {progress.text !== '' && <ValueView value={progress.text} />}
      {progress.last !== undefined && <ValueView value={progress.last} />}
    </Section>
  )
}

function hasContent(input: unknown): boolean {
  if (input === undefined || input === null || input === '') return false
  return typeof input !== 'object' || Object.keys(input).length > 0
}
