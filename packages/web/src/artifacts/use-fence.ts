import { documentTitle, type StoredMessage } from '@troupe/protocol'
import { useMemo, useState } from 'react'
import { kindOfFence, type PreviewKind } from '../api/preview-kind.ts'
import { useSession } from '../chat/session/session-context.ts'
import { t } from '../texts/t.ts'
import type { ShownArtifact } from './use-artifact.ts'

/** A code block of an answer. Blocks of the loaded messages with the same kind and title are its versions. */
export function useFence(kind: PreviewKind, text: string): ShownArtifact {
  const messages = useSession((state) => state.messages)
  const live = useSession((state) => (state.run === null ? null : (state.run.answer ?? null)))
  const title = documentTitle(kind, text)
  const found = useMemo(
    () => fencesIn(live === null ? messages : [...messages, live], kind, title),
    [messages, live, kind, title],
  )
  const all = found.length === 0 ? [{ text, createdAt: 0 }] : found
  const [chosen, setChosen] = useState<number | undefined>(() => {
    const index = found.findLastIndex((one) => one.text === text)
    return index < 0 || index === found.length - 1 ? undefined : index + 1
  })
  const version = Math.min(chosen ?? all.length, all.length)
  const shown = all[version - 1]?.text ?? text
  const name = title ?? (kind === 'mermaid' ? t.previews.diagram : t.previews.preview)
  const content = useMemo(() => ({ kind, name, text: shown }), [kind, name, shown])
  return {
    versions: all.map(({ createdAt }, index) => ({ version: index + 1, createdAt })),
    version,
    isLatest: version === all.length,
    content,
    choose: (next) => setChosen(next === all.length ? undefined : next),
  }
}

type Message = Pick<StoredMessage, 'role' | 'parts'> & { createdAt?: number | undefined }

/** Without a title, blocks cannot be told apart, so each is on its own. */
export function fencesIn(
  messages: readonly Message[],
  kind: PreviewKind,
  title: string | undefined,
): { text: string; createdAt: number }[] {
  if (title === undefined) return []
  return messages.flatMap(({ role, parts, createdAt = 0 }) => {
    if (role !== 'assistant') return []
    const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    return words.flatMap((said) =>
      [...said.matchAll(/^```([\w+-]+)[^\n]*\n([\s\S]*?)^```[ \t]*$/gm)]
        .map(([, language = '', body = '']) => ({ language, text: body.replace(/\n$/, '') }))
        .filter((one) => kindOfFence(one.language, one.text) === kind && documentTitle(kind, one.text) === title)
        .map((one) => ({ text: one.text, createdAt })),
    )
  })
}
