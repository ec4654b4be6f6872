import { Download } from 'lucide-react'
import { useState } from 'react'
import { textIn } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useSession } from '../chat/session/session-context.ts'
import { findDisplay } from '../displays/parts/display-registry.ts'
import TableDisplay from '../displays/table.tsx'
import { noticeError } from '../state/notices.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

/** The rows of a query, with a menu that saves all of them. */
export default function QueryCard({ call }: CardProps) {
  const content = call.state === 'output-available' ? findDisplay(call.notes.display?.content)?.content : undefined
  const sql = textIn(content?.['sql'])
  if (content === undefined || content.kind !== 'table' || sql === undefined) return <GenericCard call={call} />
  return (
    <ToolFrame call={call} open keepsOpen>
      <TableDisplay content={content} actions={<SaveMenu sql={sql} connection={textIn(content['connection'])} />} />
    </ToolFrame>
  )
}

const formats = ['csv', 'xlsx', 'parquet'] as const

/** Runs the query again and saves all its rows. */
function SaveMenu({ sql, connection }: { sql: string; connection: string | undefined }) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [isBusy, setIsBusy] = useState(false)
  const save = async (format: (typeof formats)[number]) => {
    setIsBusy(true)
    try {
      saveBlob(await api.exportQuery({ sql, connection, format, sessionId }), `${t.tables.fileName}.${format}`)
    } catch (error) {
      noticeError(error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={isBusy ? t.tables.saving : t.tables.saveAs} disabled={isBusy}>
          <Download />
        </IconButton>
      }
      items={formats.map((format) => ({
        label: t.tables.formats[format],
        icon: <Download />,
        onSelect: () => void save(format),
      }))}
    />
  )
}

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
