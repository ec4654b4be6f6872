import { ChevronLeft, ChevronRight, ChevronsRight } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import { useSession } from '../chat/session/session-context.ts'
import DiffDisplay from '../displays/diff.tsx'
import { errorMessage, formatMoment } from '../texts/format.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import type { ShownVersion } from './use-artifact.ts'

interface VersionBarProps {
  versions: readonly ShownVersion[]
  version: number
  isLatest: boolean
  onChoose: (version: number | undefined) => void
}

/** Moves between the versions of an artifact. New ones extend it without moving the user. */
export function VersionBar({ versions, version, isLatest, onChoose }: VersionBarProps) {
  const [now] = useState(Date.now)
  const last = versions.length
  const shown = versions.find((one) => one.version === version)
  const label = t.artifacts.versionOf(version, last)
  return (
    <div className="artifact-versions">
      <IconButton label={t.artifacts.older} disabled={version <= 1} onClick={() => onChoose(version - 1)}>
        <ChevronLeft />
      </IconButton>
      <input
        type="range"
        min={1}
        max={last}
        value={version}
        aria-label={t.artifacts.version}
        aria-valuetext={shown === undefined ? label : `${label}, ${formatMoment(shown.createdAt, now)}`}
        onChange={(event) => onChoose(Number(event.target.value))}
      />
      <IconButton label={t.artifacts.newer} disabled={isLatest} onClick={() => onChoose(version + 1)}>
        <ChevronRight />
      </IconButton>
      <span className="artifact-number">
        <span aria-hidden>
          {version} / {last}
        </span>
        <span className="visually-hidden">{label}</span>
        {shown !== undefined && <span className="artifact-time"> · {formatMoment(shown.createdAt, now)}</span>}
      </span>
      {!isLatest && (
        <IconButton label={t.artifacts.latest} onClick={() => onChoose(undefined)}>
          <ChevronsRight />
        </IconButton>
      )}
    </div>
  )
}

interface VersionDiffProps {
  artifact: string
  path: string
  versions: readonly ShownVersion[]
  version: number
}

type Compared = { diff: string; added: number; removed: number; cut?: boolean | undefined }

/** Changes between the version shown and another one, at first the one before. */
export function VersionDiff({ artifact, path, versions, version }: VersionDiffProps) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [now] = useState(Date.now)
  const [chosen, setChosen] = useState<number>()
  const [state, setState] = useState<{ compared?: Compared; problem?: string }>({})
  const other =
    chosen !== undefined && chosen !== version ? chosen : version > 1 ? version - 1 : Math.min(2, versions.length)
  const [from, to] = useDeferredValue(`${Math.min(other, version)} ${Math.max(other, version)}`)
    .split(' ')
    .map(Number)
  useEffect(() => {
    const controller = new AbortController()
    api.artifactDiff(sessionId, { artifact, from, to }, controller.signal).then(
      (compared) => setState({ compared }),
      (error: unknown) => controller.signal.aborted || setState({ problem: errorMessage(error) }),
    )
    return () => controller.abort()
  }, [api, sessionId, artifact, from, to])
  return (
    <div className="artifact-diff">
      <label className="artifact-compare">
        {t.artifacts.compareWith}
        <select value={other} onChange={(event) => setChosen(Number(event.target.value))}>
          {versions.map((one) => (
            <option key={one.version} value={one.version} disabled={one.version === version}>
              {t.artifacts.optionOf(one.version, formatMoment(one.createdAt, now))}
            </option>
          ))}
        </select>
      </label>
      {state.problem !== undefined && (
        <p className="preview-note" role="note">
          <VisibleText text={state.problem} />
        </p>
      )}
      {state.compared?.diff === '' && <p className="preview-note">{t.artifacts.noChanges}</p>}
      {state.compared !== undefined && state.compared.diff !== '' && (
        <DiffDisplay content={{ kind: 'diff', path, change: 'changed', ...state.compared }} live={false} />
      )}
    </div>
  )
}
