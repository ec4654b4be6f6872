import { expect, test } from 'vitest'
import { chartProblem } from './chart.ts'

const series = [{ type: 'bar', data: [1, 2] }]
const picture = 'data:image/png;base64,iVBORw0KGgo='

test.each([
  [{ series }],
  [{ title: { text: '<b>a</b> < b' }, xAxis: { data: ['a', 'b'] }, series }],
  [{ tooltip: { formatter: '{b}: {c} < 5' }, series }],
  [{ series: [{ ...series[0], symbol: `image://${picture}` }] }],
  [{ dataset: { source: [['a', 1]] }, graphic: [{ type: 'image', style: { image: picture } }] }],
])('data is fine: %j', (option) => {
  expect(chartProblem(option)).toBeUndefined()
})

test.each([
  ['x', 'must be an object'],
  [[], 'must be an object'],
  [{ title: { text: 'x' } }, 'no "series"'],
  [{ series, tooltip: { formatter: '<img src=x onerror=alert(1)>' } }, 'option.tooltip.formatter contains HTML'],
  [{ series, tooltip: { formatter: 'function (p) { return p.name }' } }, 'contains code'],
  [
    { series, xAxis: { axisLabel: { formatter: '(value) => value' } } },
    'option.xAxis.axisLabel.formatter contains code',
  ],
  [{ series: [{ labelFormatter: '<b>' }] }, 'option.series[0].labelFormatter contains HTML'],
  [{ series: [{ symbol: 'image://http://127.0.0.1/x.png' }] }, 'option.series[0].symbol refers to an external image'],
  [{ series: [{ symbol: 'IMAGE://x' }] }, 'refers to an external image'],
  [{ series: [{ symbol: 'image://data:image/svg+xml;base64,AAAA' }] }, 'refers to an external image'],
  [{ series: [{ data: [{ symbol: ['image://https://x'] }] }] }, 'refers to an external image'],
  [{ series, graphic: [{ style: { image: 'https://x' } }] }, 'refers to an external image'],
  [{ series, backgroundColor: { image: '//x' } }, 'refers to an external image'],
  [{ series, title: { link: 'javascript:alert(1)' } }, 'option.title.link would open a page'],
  [{ series, tooltip: { extraCssText: 'background:url(x)' } }, 'is a style sheet'],
  [{ series: [{ type: 'custom', renderItem: 'x' }] }, 'is code'],
  [JSON.parse('{"series":[],"__proto__":{"x":1}}'), 'is not an allowed name'],
  [{ series: [() => 1] }, 'data only'],
  [{ series: [{ data: Array.from({ length: 100_001 }, () => 1) }] }, 'more than 100000 values'],
  [JSON.parse(`{"series":${'['.repeat(30)}${']'.repeat(30)}}`), 'levels deep'],
  [{ series: [{ name: 'x'.repeat(20_001) }] }, 'longer than'],
])('anything but data is rejected: %#', (option, problem) => {
  expect(chartProblem(option)).toContain(problem)
})
