import type { LateTexts } from '../en/settings.ts'
import { digits } from './digits.ts'

export const tableTexts: Pick<LateTexts, 'tables'> = {
  tables: {
    result: '查询结果',
    rows: (number) => `${digits(number)} 行`,
    moreThan: (number) => `超过 ${digits(number)} 行`,
    firstRows: (number) => `显示前 ${digits(number)} 行。`,
    statement: '语句',
    copyStatement: '复制语句',
    canUndo: '此更改可以撤销。',
    cannotUndo: '此更改无法撤销。',
    filter: '筛选行',
    saveAs: '保存全部行',
    saving: '正在保存…',
    fileName: '查询',
    formats: { csv: 'CSV 文件', xlsx: 'Excel 工作簿', parquet: 'Parquet 文件' },
    xAxis: 'X 轴',
    yAxis: 'Y 轴',
    chartType: '图表类型',
    bars: '柱状图',
    line: '折线图',
  },
}
