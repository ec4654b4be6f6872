import { inLanguage, say } from './scene.ts'
import type { Scene } from './scene.ts'

export const picture: Scene = {
  example: { en: 'Paint a picture of quiet hills', zh: '画一幅宁静山丘的画' },
  shows: { en: 'a picture, after your approval (ImageGenerate)', zh: '在你批准后生成一张图片（ImageGenerate）' },
  matches: /\b(paint|draw)\b|(make|generate|create).*\b(picture|image)\b|画一|生成.*图片/,
  tools: ['ImageGenerate'],
  play(request) {
    const last = request.results.at(-1)
    if (!last)
      return [
        {
          call: { name: 'ImageGenerate', input: { prompt: request.text, aspect_ratio: '16:9', model: 'demo/painter' } },
        },
      ]
    if (last.error !== undefined)
      return [say(inLanguage(request, { en: `There is no picture: ${last.error}`, zh: `没有图片：${last.error}` }))]
    return [
      say(
        inLanguage(request, {
          en: 'Painted by the demo painter, which is a little program and not an AI. With the key of a provider that makes pictures the same tool uses its model.',
          zh: '这是演示画师画的，它只是一个小程序，不是 AI。配置了能生成图片的供应商密钥后，同一个工具会使用它的模型。',
        }),
      ),
    ]
  },
}
