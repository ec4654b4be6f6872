import { pluralize } from './plural.ts'

/** Texts of query results. */
export const tableTexts = {
  tables: {
    result: 'Query result',
    rows: (number: number) => pluralize(number, 'row'),
    moreThan: (number: number) => `more than ${pluralize(number, 'row')}`,
    firstRows: (number: number) => `Showing the first ${pluralize(number, 'row')}.`,
    statement: 'Statement',
    copyStatement: 'Copy statement',
    canUndo: 'This change can be undone.',
    cannotUndo: 'This change can’t be undone.',
    filter: 'Filter rows',
    saveAs: 'Save all rows',
    saving: 'Saving…',
    fileName: 'query',
    formats: { csv: 'CSV file', xlsx: 'Excel workbook', parquet: 'Parquet file' },
    xAxis: 'X axis',
    yAxis: 'Y axis',
    chartType: 'Chart type',
    bars: 'Bars',
    line: 'Line',
  },
}
