import { isRecord, recordsIn, textIn } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import ListDisplay from '../displays/list.tsx'
import TerminalDisplay from '../displays/terminal.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './undo.css'

export default function UndoCard({ call }: CardProps) {
  const output = isRecord(call.output) ? call.output : {}
  if (!Array.isArray(output['restored'])) return <GenericCard call={call} />
  const restored = namesIn(output['restored'])
  const removed = namesIn(output['removed'])
  const skipped = recordsIn(output['skipped'])
  const commands = Array.isArray(output['commands']) ? output['commands'].map(String) : []
  return (
    <ToolFrame call={call} open isBad={skipped.length > 0}>
      {restored.length > 0 && <ListDisplay content={{ kind: 'list', path: t.cards.restored, entries: restored }} />}
      {removed.length > 0 && <ListDisplay content={{ kind: 'list', path: t.cards.removed, entries: removed }} />}
      {skipped.length > 0 && (
        <div className="tool-section">
          <h4>{t.cards.unchanged}</h4>
          <ul className="undo-left">
            {skipped.map((file, index) => (
              <li key={index}>
                <code>
                  <VisibleText text={textIn(file['path']) ?? ''} as="name" />
                </code>
                : <VisibleText text={textIn(file['reason']) ?? t.cards.noReason} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {commands.length > 0 && (
        <div className="tool-section">
          <h4>{t.cards.notUndone}</h4>
          <div className="undo-commands">
            {commands.map((command, index) => (
              <TerminalDisplay key={index} content={{ kind: 'terminal', command }} />
            ))}
          </div>
        </div>
      )}
    </ToolFrame>
  )
}

function namesIn(value: unknown): { name: string; kind: 'file' }[] {
  return Array.isArray(value) ? value.map((name) => ({ name: String(name), kind: 'file' })) : []
}
