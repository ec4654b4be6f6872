import type { PictureRequest } from '@troupe/core'
import { editPicture } from './edit-picture.ts'

export interface PictureResponse {
  picture?: { bytes: Uint8Array; width: number; height: number }
  error?: string
}

process.once('message', (request: PictureRequest) => {
  void editPicture(request)
    .then(
      (picture): PictureResponse => ({ picture }),
      (error: unknown): PictureResponse => ({ error: error instanceof Error ? error.message : String(error) }),
    )
    .then((response) => process.send?.(response, () => process.disconnect()))
})
