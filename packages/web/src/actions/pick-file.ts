import { textIn } from '../api/read-fields.ts'
import type { Action } from '../page-tools/actions.ts'

const largest = 32 * 1024 * 1024
const most = 20

/** Lets the user pick files. Uploads their contents, never their paths on disk. */
const pickFile: Action = async (input, { api }) => {
  const files = await pick(textIn(input['accept']), input['multiple'] === true)
  if (files.length === 0) throw new Error('No file was chosen.')
  const tooLarge = files.find(({ size }) => size > largest)
  if (tooLarge !== undefined) throw new Error(`"${tooLarge.name}" is too large. The limit is 32 MB.`)
  const sent = []
  for (const file of files.slice(0, most)) {
    const mediaType = file.type || 'application/octet-stream'
    const { sha256 } = await api.addBlob(new Blob([file], { type: mediaType }))
    sent.push({ name: file.name.slice(0, 300), sha256, size: file.size, mediaType })
  }
  return { files: sent }
}

export default pickFile

function pick(accept: string | undefined, multiple: boolean): Promise<File[]> {
  const field = document.createElement('input')
  field.type = 'file'
  field.multiple = multiple
  if (accept !== undefined) field.accept = accept
  return new Promise((resolve) => {
    field.addEventListener('change', () => resolve([...(field.files ?? [])]))
    field.addEventListener('cancel', () => resolve([]))
    field.click()
  })
}
