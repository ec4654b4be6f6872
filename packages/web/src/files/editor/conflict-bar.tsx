import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { noticeError } from '../../state/notices.tsx'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import './conflict-bar.css'
import type { Editor } from './create-editor.ts'
import type { EditedFile } from './edited-file.ts'
import { mergedText, mergePlaces, type MergeSide, mergeTexts } from './merge-texts.ts'
import { ThreeWay } from './three-way.tsx'

interface ConflictBarProps {
  edited: EditedFile
  editor: Editor
}

/**
 * Shown when a file changed on disk while the person edited it: all three versions of each changed place together. The
 * editor below holds the result, which stays editable. Where both changed the same lines, the person's are kept until
 * another version is chosen.
 */
export function ConflictBar({ edited, editor }: ConflictBarProps) {
  const conflict = useStore(edited, (state) => state.conflict)
  const base = useStore(edited, (state) => state.file?.text ?? '')
  const [mine] = useState(() => editor.text())
  const [chosen, setChosen] = useState<{ places: unknown; choices: Record<number, MergeSide> }>()
  const disk = conflict?.current?.text ?? ''
  const isDeleted = conflict?.current === null
  const places = useMemo(() => mergePlaces(base, mine, isDeleted ? base : disk), [base, mine, disk, isDeleted])
  // Choices are about these places. The file may change on disk again.
  const choices = chosen?.places === places ? chosen.choices : {}
  const conflicts = places.filter((place) => place.isConflict).length
  /** The last text that came from choices. The editor may have changes on top of it. */
  const built = useRef(mine)
  const build = (given: Record<number, MergeSide>) => {
    const next = mergedText(base, places, given)
    editor.setText(mergeTexts(built.current, editor.text(), next).text)
    built.current = next
  }
  const start = useEffectEvent(() => {
    built.current = editor.text()
    build({})
  })
  useEffect(() => start(), [places])
  useEffect(() => {
    if (isDeleted) return
    editor.compareWith(disk, { accept: t.files.keepThis, reject: t.files.takeOther.disk })
    return () => editor.compareWith(null)
  }, [editor, disk, isDeleted])
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
          : conflicts === 0
            ? t.files.conflictMerged
            : t.files.conflictOverlap(conflicts)}
      </p>
      {!isDeleted && isMergeable && (
        <ThreeWay
          places={places}
          choices={choices}
          onChoose={(place, side) => {
            const next = { ...choices, [place]: side }
            setChosen({ places, choices: next })
            build(next)
          }}
        />
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
