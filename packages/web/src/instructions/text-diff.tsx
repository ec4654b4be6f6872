import { createTwoFilesPatch } from 'diff'
import { useMemo } from 'react'
import DiffDisplay from '../displays/diff.tsx'
import { t } from '../texts/t.ts'

/** Shows the lines that differ between two texts. */
export function TextDiff({ before, after, title }: { before: string; after: string; title: string }) {
  const diff = useMemo(() => {
    const [one, other] = [before, after].map((text) => `${text.trimEnd()}\n`) as [string, string]
    return one === other ? '' : createTwoFilesPatch('', '', one, other, undefined, undefined, { context: 2 })
  }, [before, after])
  if (diff === '') return <p className="settings-note">{t.editor.same}</p>
  return <DiffDisplay live content={{ kind: 'diff', path: title, diff }} />
}
