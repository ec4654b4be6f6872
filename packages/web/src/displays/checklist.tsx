import { Circle, CircleCheck, CircleDotDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import { recordsIn, textIn } from '../api/read-fields.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './checklist.css'
import { ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'

const marks: Record<string, () => ReactNode> = {
  pending: () => <Circle aria-label={t.displays.open} />,
  in_progress: () => <CircleDotDashed aria-label={t.displays.inProgress} />,
  completed: () => <CircleCheck aria-label={t.displays.done} />,
}

/** To-do list: `items` ({`content`, `status`: pending, in_progress or completed, `activeForm`}). */
export default function ChecklistDisplay({ content }: DisplayProps) {
  if (!Array.isArray(content['items'])) return <ValueView value={content} />
  return (
    <ul className="checklist">
      {recordsIn(content['items']).map((item, index) => {
        const status = Object.hasOwn(marks, String(item['status'])) ? String(item['status']) : 'pending'
        const text = textIn(item['content']) ?? ''
        return (
          <li key={index} className={`check check-${status}`}>
            {marks[status]?.()}
            <span>
              <VisibleText text={status === 'in_progress' ? (textIn(item['activeForm']) ?? text) : text} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
