import { recordsIn } from '../api/read-fields.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import DiffDisplay from './diff.tsx'
import { useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'
import './patch.css'

export const opens = true

const filesAtFirst = 8

/** Changes to several files: `files`, each as a diff. */
export default function PatchDisplay({ content }: DisplayProps) {
  const files = recordsIn(content['files'])
  const { shown, left, grow } = useShowMore(files.length, filesAtFirst, 50)
  if (files.length === 0) return <ValueView value={content} />
  return (
    <div className="patch">
      {files.slice(0, shown).map((file, index) => (
        <DiffDisplay key={index} content={{ ...file, kind: 'diff' }} />
      ))}
      {left > 0 && (
        <button type="button" className="panel panel-more" onClick={grow}>
          {t.displays.moreFiles(left)}
        </button>
      )}
    </div>
  )
}
