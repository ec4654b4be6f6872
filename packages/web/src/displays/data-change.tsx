import { numberIn, textIn } from '../api/read-fields.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { DisplayPanel, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'
import './table.css'

export const opens = true

/** Statement that changes data: `sql`, `connection`, `rowCount`, `canUndo`, `output`. */
export default function DataChangeDisplay({ content }: DisplayProps) {
  const sql = textIn(content['sql'])
  if (sql === undefined) return <ValueView value={content} />
  const rowCount = numberIn(content['rowCount'])
  const output = textIn(content['output'])
  const canUndo = content['canUndo']
  return (
    <DisplayPanel
      label={t.tables.statement}
      head={<VisibleText text={output ?? textIn(content['connection']) ?? ''} as="name" />}
      facts={rowCount !== undefined && t.tables.rows(rowCount)}
      copy={{ text: sql, label: t.tables.copyStatement }}
      foot={typeof canUndo === 'boolean' && (canUndo ? t.tables.canUndo : t.tables.cannotUndo)}
    >
      <div className="data-change-sql">
        <ValueView value={sql} />
      </div>
    </DisplayPanel>
  )
}
