import { expect, test } from 'vitest'
import { chartTable } from './chart.ts'

test.each([
  [
    {
      xAxis: { name: 'Day', data: ['Mon', { value: 'Tue' }] },
      series: [{ name: 'A', data: [1, { value: 2 }] }, { data: [3] }],
    },
    [
      ['Day', 'A', '2'],
      ['Mon', '1', '3'],
      ['Tue', '2', ''],
    ],
  ],
  [
    {
      series: {
        name: 'Share',
        type: 'pie',
        data: [
          { name: 'x', value: 4 },
          { name: 'y', value: 6 },
        ],
      },
    },
    [
      ['', '', ''],
      ['Share', 'x', '4'],
      ['Share', 'y', '6'],
    ],
  ],
  [
    { series: [{ type: 'scatter', data: [[1, 2], 5] }] },
    [
      ['', '', ''],
      ['1', '1', '2'],
      ['1', '', '5'],
    ],
  ],
  [
    {
      dataset: {
        source: [
          { day: 'Mon', n: 1 },
          { day: 'Tue', m: 2 },
        ],
      },
      series: [{}],
    },
    [
      ['day', 'n', 'm'],
      ['Mon', '1', ''],
      ['Tue', '', '2'],
    ],
  ],
  [
    {
      dataset: {
        source: [
          ['a', 'b'],
          [1, 2],
        ],
      },
    },
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
])('the figures of a chart are rows: %#', (option, rows) => {
  expect(chartTable(option)).toEqual(rows)
})

test('a chart without figures has no table', () => {
  expect(chartTable({ series: [{ type: 'sankey', links: [] }] })).toBeUndefined()
  expect(chartTable({ series: 'x', xAxis: null, dataset: { source: 'x' } })).toBeUndefined()
})
