import { ArrowDown, ArrowUp } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { numberIn, textIn } from '../api/read-fields.ts'
import '../texts/show-late.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { Group, VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { DisplayPanel, useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'
import {
  arrangeRows,
  type Cell,
  chartOf,
  isTable,
  readColumns,
  readRows,
  type Sort,
  type TableColumn,
} from './parts/table-rows.ts'
import '../content/views.css'
import './table.css'

const ChartView = lazy(() => import('../content/chart-view.tsx').then(({ ChartView }) => ({ default: ChartView })))

export const opens = true

const rowsAtFirst = 20

/** Rows of a query: `columns` ({`name`, `type`, `kind`}), `rows`, `rowCount`, `counted`, `sql`, `connection`. */
export default function TableDisplay({ content, actions }: DisplayProps & { actions?: ReactNode }) {
  const columns = useMemo(() => readColumns(content['columns']), [content])
  const rows = useMemo(() => readRows(content['rows']), [content])
  const [filter, setFilter] = useState('')
  const [sort, setSort] = useState<Sort>()
  const [view, setView] = useState<'table' | 'chart'>('table')
  const shownRows = useMemo(() => arrangeRows(rows, columns, { filter, sort }), [rows, columns, filter, sort])
  if (!isTable(content)) return <ValueView value={content} />
  const sql = textIn(content['sql'])
  const connection = textIn(content['connection'])
  const rowCount = numberIn(content['rowCount']) ?? rows.length
  const isCounted = content['counted'] !== false
  const canChart = rows.length > 1 && columns.some(({ isNumber }) => isNumber)
  return (
    <DisplayPanel
      label={t.tables.result}
      head={<code className="table-sql">{<VisibleText text={sql ?? connection ?? ''} />}</code>}
      facts={isCounted ? t.tables.rows(rowCount) : t.tables.moreThan(rowCount)}
      actions={actions}
      foot={rows.length < rowCount && t.tables.firstRows(rows.length)}
    >
      {rows.length > 3 && (
        <div className="table-bar">
          <input
            type="search"
            value={filter}
            placeholder={t.tables.filter}
            aria-label={t.tables.filter}
            onChange={({ target }) => setFilter(target.value)}
          />
          {canChart && (
            <Segments
              label={t.previews.view}
              options={[
                { value: 'table', label: t.previews.table },
                { value: 'chart', label: t.previews.chart },
              ]}
              value={view}
              onChange={setView}
            />
          )}
        </div>
      )}
      {view === 'chart' && canChart ? (
        <RowsChart rows={shownRows} columns={columns} />
      ) : (
        <RowsTable rows={shownRows} columns={columns} sort={sort} onSort={setSort} />
      )}
    </DisplayPanel>
  )
}

interface RowsProps {
  rows: readonly Cell[][]
  columns: readonly TableColumn[]
}

function RowsTable({
  rows,
  columns,
  sort,
  onSort,
}: RowsProps & { sort: Sort | undefined; onSort: (sort: Sort) => void }) {
  const { shown, left, grow } = useShowMore(rows.length, rowsAtFirst, 100)
  return (
    <>
      <Group className="sheet table-rows" tabIndex={0} label={t.tables.result}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name, type, isNumber }, index) => {
                const own = sort?.column === index ? sort : undefined
                return (
                  <th
                    key={index}
                    scope="col"
                    className={isNumber ? 'sheet-figure' : undefined}
                    aria-sort={own === undefined ? 'none' : own.isDescending ? 'descending' : 'ascending'}
                  >
                    <button
                      type="button"
                      title={type}
                      onClick={() => onSort({ column: index, isDescending: own !== undefined && !own.isDescending })}
                    >
                      <VisibleText text={name} as="name" />
                      {own !== undefined && (own.isDescending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
                    </button>
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              <tr key={at}>
                {columns.map(({ isNumber }, index) => (
                  <td key={index} className={isNumber ? 'sheet-figure' : undefined}>
                    {row[index] === null ? (
                      <span className="table-null">NULL</span>
                    ) : (
                      <VisibleText text={row[index] ?? ''} as="exact" />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Group>
      {rows.length === 0 && <p className="panel-empty">{t.displays.nothingFound}</p>}
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.previews.showRows(left)}
        </button>
      )}
    </>
  )
}

function RowsChart({ rows, columns }: RowsProps) {
  const numbers = columns.flatMap(({ isNumber }, index) => (isNumber ? [index] : []))
  const [y, setY] = useState(numbers.at(-1) ?? 0)
  const [x, setX] = useState(
    Math.max(
      0,
      columns.findIndex(({ isNumber }, index) => !isNumber && index !== y),
    ),
  )
  const [type, setType] = useState<'bar' | 'line'>('bar')
  const option = useMemo(() => chartOf(rows, columns, { x, y, type }), [rows, columns, x, y, type])
  const names = columns.map(({ name }, index) => ({ name, index }))
  return (
    <>
      <div className="table-bar">
        <ColumnSelect label={t.tables.xAxis} columns={names} value={x} onChange={setX} />
        <ColumnSelect
          label={t.tables.yAxis}
          columns={names.filter(({ index }) => numbers.includes(index))}
          value={y}
          onChange={setY}
        />
        <Segments
          label={t.tables.chartType}
          options={[
            { value: 'bar', label: t.tables.bars },
            { value: 'line', label: t.tables.line },
          ]}
          value={type}
          onChange={setType}
        />
      </div>
      <Suspense fallback={<p className="tool-remark">{t.previews.loading}</p>}>
        <ChartView option={option} title={columns[y]?.name ?? t.previews.chart} hasTable={false} />
      </Suspense>
    </>
  )
}

interface ColumnSelectProps {
  label: string
  columns: { name: string; index: number }[]
  value: number
  onChange: (index: number) => void
}

function ColumnSelect({ label, columns, value, onChange }: ColumnSelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(Number(target.value))}>
        {columns.map(({ name, index }) => (
          <option key={index} value={index}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
