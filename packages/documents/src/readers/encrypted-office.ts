import { isCompoundFile, openCompoundFile } from '../ole/compound-file.ts'
import { defineReader } from '../reader.ts'

/** Office wraps an encrypted document of any kind into a compound file. */
export default defineReader({
  title: 'an encrypted Office document',
  extensions: [],
  mediaTypes: ['application/encrypted'],
  async matches(head, source) {
    if (!isCompoundFile(head) || source.size > 200 * 2 ** 20) return false
    try {
      return openCompoundFile(await source.bytes(200 * 2 ** 20)).has('EncryptedPackage')
    } catch {
      return false
    }
  },
  read: (source) =>
    Promise.reject(new Error(`${source.name} is encrypted with a password. Ask for a copy without a password.`)),
})
