import { isRecord, numberIn } from '../api/read-fields.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'

interface NamedCount {
  count: number
  names: string[]
}

/** Work in a worktree that exists nowhere else. */
export interface WorktreeLosses {
  uncommitted: number
  ahead: number
  ignored: NamedCount
  repositories: NamedCount
  isCut: boolean
}

/** Reads the data of the error `WorktreeUnsaved`. */
export function readLosses(data: Record<string, unknown>): WorktreeLosses {
  return {
    uncommitted: numberIn(data['uncommitted']) ?? 0,
    ahead: numberIn(data['ahead']) ?? 0,
    ignored: readNames(data['ignored']),
    repositories: readNames(data['repositories']),
    isCut: data['isCut'] === true,
  }
}

function readNames(value: unknown): NamedCount {
  if (!isRecord(value)) return { count: 0, names: [] }
  const names = Array.isArray(value['names']) ? value['names'].map(String) : []
  return { count: numberIn(value['count']) ?? names.length, names }
}

/** Names the work that would go with a worktree. */
export function LossesList({
  losses: { uncommitted, ahead, ignored, repositories, isCut },
}: {
  losses: WorktreeLosses
}) {
  return (
    <div className="worktree-losses">
      {uncommitted + ahead > 0 && <p>{t.worktrees.discardKept(uncommitted, ahead)}</p>}
      {repositories.count > 0 && <Names title={t.worktrees.lostRepositories(repositories.count)} {...repositories} />}
      {ignored.count > 0 && <Names title={t.worktrees.lostIgnored(ignored.count)} {...ignored} />}
      {isCut && <p>{t.worktrees.lostUnknown}</p>}
    </div>
  )
}

function Names({ title, count, names }: { title: string; count: number; names: readonly string[] }) {
  return (
    <>
      <p>{title}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <VisibleText text={name} as="name" />
          </li>
        ))}
        {count > names.length && <li>{t.worktrees.lostMore(count - names.length)}</li>}
      </ul>
    </>
  )
}
