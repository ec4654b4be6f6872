import type { Texts } from './en.ts'

export const zh: Texts = {
  language: '中文',
  ui: {
    close: '关闭',
    cancel: '取消',
  },
}
