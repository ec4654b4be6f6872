import { create } from 'zustand'

export interface EnlargedImage {
  url: string
  name: string
}

/** The image that is looked at on its own, if there is one. */
export const useEnlargedImage = create<{ image: EnlargedImage | null }>(() => ({ image: null }))

export function enlargeImage(image: EnlargedImage | null): void {
  useEnlargedImage.setState({ image })
}
