import { Circle, CircleCheck, CircleDotDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import { GenericCard } from '../chat/generic-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { ToolFrame } from '../chat/tool-frame.tsx'
import './todo-write.css'

interface Todo {
  content: string
  status: 'pending' | 'in_progress' | 'completed'
  activeForm?: string
}

const marks: Record<Todo['status'], ReactNode> = {
  pending: <Circle aria-label="open" />,
  in_progress: <CircleDotDashed aria-label="in progress" />,
  completed: <CircleCheck aria-label="done" />,
}

/** The plan as it stands after this call. */
export default function TodoWriteCard({ call }: CardProps) {
  const todos = (call.output as { todos?: Todo[] } | undefined)?.todos
  if (!Array.isArray(todos)) return <GenericCard call={call} />
  const done = todos.filter(({ status }) => status === 'completed').length
  return (
    <ToolFrame
      call={call}
      title={call.notes.actionName ?? 'Plan'}
      summary={todos.length === 0 ? 'cleared' : `${done} of ${todos.length} done`}
      open={call.latest && todos.length > 0}
    >
      <ul className="todos">
        {todos.map(({ content, status, activeForm }, index) => (
          <li key={index} className={`todo todo-${status}`}>
            {marks[status]}
            <span>{status === 'in_progress' ? (activeForm ?? content) : content}</span>
          </li>
        ))}
      </ul>
    </ToolFrame>
  )
}
