import type { ComposerTexts } from '../en/composer.ts'
import type { LateTexts } from '../en/settings.ts'

export const columnTexts: Pick<ComposerTexts, 'columns' | 'feedback'> = {
  columns: {
    compare: '对比模型',
    compareAbout: (most) => `选择 2 到 ${most} 个模型，它们都会回答你的下一条消息。`,
    most: (most) => `最多可以对比 ${most} 个模型。`,
    stop: '停止对比',
    selected: '已选',
    shown: (count) => `${count} 个模型`,
    picked: (count, names) => `${count} 个模型进行对比：${names}`,
    first: '请先选择一个回答继续，再发送下一条消息。',
  },
  feedback: {
    up: '回答得好',
    down: '回答得不好',
  },
}

export const columnViewTexts: Pick<LateTexts, 'columnView' | 'feedbackForm'> = {
  columnView: {
    label: (count) => `${count} 个模型的回答`,
    column: (position, name, status) => `回答 ${position}：${name}，${status}`,
    tab: (name, status) => `${name}，${status}`,
    note: '在你选择一个回答继续之前，更改文件需要你的批准。',
    keep: '继续对比',
    keepAbout: '下一条消息仍发送给这些模型',
    continue: '用这个回答继续',
    stopOne: (name) => `停止 ${name}`,
    retry: (name) => `让 ${name} 重新回答`,
    details: '详情',
    model: '模型',
    time: '用时',
    tokens: 'Token',
    cost: '费用',
    status: {
      writing: '正在写',
      waiting: '需要你批准',
      done: '已完成',
      failed: '失败',
      stopped: '已停止',
      loading: '正在加载',
      missing: '已删除',
    },
    said: (name, status) => `${name}：${status}。`,
    allDone: '所有回答都已结束。请选择一个继续。',
  },
  feedbackForm: {
    whyGood: '好在哪里？',
    whyBad: '有什么问题？',
    reasons: '原因',
    reason: {
      correct: '正确',
      clear: '清楚',
      followed: '遵循了指示',
      incorrect: '不正确',
      incomplete: '不完整',
      'too-long': '太长',
      'not-followed': '没有遵循指示',
      'bad-tool-use': '工具用得不好',
      other: '其他',
    },
    text: '补充说明（可选）',
    stays: '保存在这台计算机上，不会发送给模型。',
    save: '保存',
    remove: '移除评价',
  },
}
