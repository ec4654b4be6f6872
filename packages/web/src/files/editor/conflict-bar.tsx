import { useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { noticeError } from '../../state/notices.tsx'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { Group } from '../../ui/elements.tsx'
import './conflict-bar.css'
import type { Editor } from './create-editor.ts'
import type { EditedFile } from './edited-file.ts'
import { mergeTexts } from './merge-texts.ts'

interface ConflictBarProps {
  edited: EditedFile
  editor: Editor
}

type Side = 'disk' | 'mine' | 'before'

/**
 * Shown when a file changed on disk while the person edited it. The editor then holds both edits merged, compared with
 * one of the three versions. Where both changed the same lines, the person's are kept and can be replaced one by one.
 */
export function ConflictBar({ edited, editor }: ConflictBarProps) {
  const conflict = useStore(edited, (state) => state.conflict)
  const base = useStore(edited, (state) => state.file?.text ?? '')
  const [mine] = useState(() => editor.text())
  const [side, setSide] = useState<Side>('disk')
  const disk = conflict?.current?.text ?? ''
  const isDeleted = conflict?.current === null
  const merged = useMemo(() => mergeTexts(base, mine, isDeleted ? base : disk), [base, mine, disk, isDeleted])
  useEffect(() => {
    editor.setText(merged.text)
  }, [editor, merged])
  useEffect(() => {
    if (isDeleted) return
    editor.compareWith({ disk, mine, before: base }[side], {
      accept: t.files.keepThis,
      reject: t.files.takeOther[side],
    })
    return () => editor.compareWith(null)
  }, [editor, side, disk, mine, base, isDeleted])
  const finish = async () => {
    try {
      edited.resolve(editor.text())
      await edited.save({ over: true })
    } catch (error) {
      noticeError(error)
    }
  }
  const isMergeable = isDeleted || conflict?.current?.text !== undefined
  return (
    <section className="conflict-bar" aria-label={t.files.conflictTitle}>
      <p role="alert">
        {isDeleted
          ? t.files.conflictDeleted
          : merged.conflicts === 0
            ? t.files.conflictMerged
            : t.files.conflictOverlap(merged.conflicts)}
      </p>
      {!isDeleted && isMergeable && (
        <Group className="conflict-sides" label={t.files.compareWith}>
          <span>{t.files.compareWith}</span>
          {(['disk', 'mine', 'before'] as const).map((one) => (
            <Button key={one} kind="quiet" aria-pressed={side === one} onClick={() => setSide(one)}>
              {t.files.sides[one]}
            </Button>
          ))}
        </Group>
      )}
      <div className="conflict-buttons">
        {isMergeable && (
          <Button kind="primary" onClick={() => void finish()}>
            {isDeleted ? t.files.saveAgain : t.files.saveMerged}
          </Button>
        )}
        {!isDeleted && (
          <Button
            onClick={() => {
              editor.setText(mine)
              void edited.save({ over: true }).catch(noticeError)
            }}
          >
            {t.files.saveMine}
          </Button>
        )}
        <Button onClick={() => edited.discard()}>{isDeleted ? t.files.discardMine : t.files.useDisk}</Button>
      </div>
    </section>
  )
}
