import { isRecord, textIn } from '../displays/parts/read-fields.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { formatDuration } from '../ui/format.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { GenericCard } from './generic-card.tsx'
import type { CardProps } from './tool-call.ts'
import type { MediaProgress } from './tool-progress.ts'
import './media-card.css'

/** For tools that make pictures and films: that one is being made, and where none was, what to do about it. */
export function MediaCard({ call }: CardProps) {
  const { progress, notes, running, errorText, stopped } = call
  const prompt = isRecord(call.input) ? textIn(call.input['prompt']) : undefined
  // What it may cost is said to whoever approves it; from then on it is about what is made.
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
        <VisibleText text={model === undefined ? t.cards.beingMade : t.cards.beingMadeBy(model)} as="name" />
        {elapsedMs !== undefined && <span className="media-time">{formatDuration(elapsedMs)}</span>}
      </span>
      {/* Without a value it says that something goes on, and not how far it is. */}
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
