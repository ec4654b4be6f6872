import type { Artifact, ArtifactVersionInfo } from '@troupe/protocol'
import { useEffect, useState } from 'react'
import { isToolCall } from '../chat/session/message-parts.ts'
import { useSession } from '../chat/session/session-context.ts'
import type { PreviewContent } from '../content/content-view.tsx'
import { errorMessage } from '../texts/format.ts'
import { useWorkspace } from '../workspace/workspace.ts'

export type ShownVersion = Pick<ArtifactVersionInfo, 'version' | 'createdAt'>

export interface ShownArtifact {
  /** Undefined if no tool of this chat wrote the file. */
  artifact?: Artifact
  versions: readonly ShownVersion[]
  /** Number of the version shown. Undefined without versions. */
  version?: number
  isLatest: boolean
  content?: PreviewContent
  problem?: string
  /** Undefined follows the newest version. */
  choose: (version: number | undefined) => void
  /** Undefined if there is nothing to load again. */
  reload?: () => void
}

interface History {
  artifact: Artifact
  versions: readonly ArtifactVersionInfo[]
}

/** A file with its versions. Follows the newest one until the user chooses another. */
export function useArtifact(path: string, startAt?: string): ShownArtifact {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const changes = useFinishedCalls()
  const [asked, setAsked] = useState(0)
  const [history, setHistory] = useState<History | null>()
  const [chosen, setChosen] = useState<number>()
  const [started, setStarted] = useState(false)
  const [shown, setShown] = useState<{ key: string; content?: PreviewContent; problem?: string }>()

  useEffect(() => {
    const controller = new AbortController()
    api.artifact(sessionId, path, controller.signal).then(
      ({ artifact, versions }) => setHistory(artifact === null ? null : { artifact, versions }),
      // Without versions, the file itself is shown, or says why it cannot be.
      () => controller.signal.aborted || setHistory((known) => known ?? null),
    )
    return () => controller.abort()
  }, [api, sessionId, path, changes, asked])

  const versions = history?.versions ?? []
  const newest = versions.at(-1)
  if (history != null && !started) {
    setStarted(true)
    const first = startAt === undefined ? undefined : versions.find((one) => one.toolCallId === startAt)?.version
    if (first !== undefined && first !== newest?.version) setChosen(first)
  }
  const isLatest = chosen === undefined || chosen === newest?.version
  const version = chosen ?? newest?.version
  const artifactId = history?.artifact.id
  const file = newest?.path ?? path
  const key = isLatest ? `file ${file}` : `version ${artifactId} ${chosen}`

  useEffect(() => {
    if (history === undefined) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const load = async (): Promise<PreviewContent> => {
      if (isLatest || artifactId === undefined || chosen === undefined) {
        const preview = await api.preview(sessionId, file, signal)
        return { ...preview, name: newest?.title ?? fileName(preview.path) }
      }
      const old = await api.artifactVersion(sessionId, artifactId, chosen, signal)
      return { kind: old.kind, name: old.title, text: old.text }
    }
    load().then(
      (content) => signal.aborted || setShown({ key, content }),
      (error: unknown) => signal.aborted || setShown({ key, problem: errorMessage(error) }),
    )
    return () => controller.abort()
    // The newest version has the file's path; its number alone says that the file changed.
  }, [api, sessionId, history, artifactId, chosen, isLatest, file, key, newest?.version, newest?.title])

  const current = shown?.key === key || shown?.content !== undefined ? shown : undefined
  return {
    ...(history != null && { artifact: history.artifact }),
    versions,
    ...(version !== undefined && { version }),
    isLatest,
    ...(current?.content !== undefined && { content: current.content }),
    ...(current?.problem !== undefined && { problem: current.problem }),
    choose: (next) => setChosen(next === newest?.version ? undefined : next),
    reload: () => setAsked((count) => count + 1),
  }
}

/** Grows with each tool call that ends, and when a run starts or ends. */
function useFinishedCalls(): number {
  return useSession(({ run, messages }) => {
    const parts = run?.answer?.parts ?? []
    const ended = parts.filter((part) => isToolCall(part) && part.state === 'output-available').length
    return messages.length * 1000 + ended + (run === null ? 0 : 1)
  })
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
