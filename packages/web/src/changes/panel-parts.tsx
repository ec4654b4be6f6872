import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'

export function Failure({ failure, onRetry }: { failure: string | undefined; onRetry: () => void }) {
  if (failure === undefined) return <p className="side-panel-none">{t.changes.loading}</p>
  return (
    <div className="side-panel-none">
      <p>{failure}</p>
      <Button onClick={() => onRetry()}>{t.changes.retry}</Button>
    </div>
  )
}

interface FilterFieldProps {
  filter: { text: string; setText: (text: string) => void }
  count: number
}

/** Only for lists that are worth it. */
export function FilterField({ filter, count }: FilterFieldProps) {
  if (count <= 8) return <span className="changes-count">{t.changes.files(count)}</span>
  return (
    <input
      className="changes-filter"
      type="search"
      dir="auto"
      aria-label={t.changes.filter}
      placeholder={`${t.changes.filter} (${count})`}
      value={filter.text}
      onChange={(event) => filter.setText(event.target.value)}
    />
  )
}
