import { TriangleAlert } from 'lucide-react'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'

export interface FileProblem {
  path: string
  line?: number
  message: string
}

/** Files that were left out: which, where in them, and why. */
export function ProblemList({ title, problems }: { title: string; problems: readonly FileProblem[] }) {
  if (problems.length === 0) return null
  return (
    <section className="settings-problems" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {problems.map(({ path, line, message }) => (
          <li key={`${path} ${line} ${message}`}>
            <TriangleAlert aria-hidden />
            <span>
              <code>
                <VisibleText text={path} as="name" />
                {line !== undefined && `, ${t.settings.skills.line(line)}`}
              </code>
              <br />
              <VisibleText text={message} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
