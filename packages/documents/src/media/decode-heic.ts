/** Pixels of a picture, four bytes each. */
export interface Pixels {
  data: Uint8ClampedArray
  width: number
  height: number
}

/** 100 megapixels are 400 MB. No camera makes more. */
const maxPixels = 100_000_000

/** The part of the library that is used. It runs as WebAssembly and has no types for this. */
interface HeifLibrary {
  HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] }
}

interface HeifImage {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  display(target: Pixels, done: (pixels: Pixels | null) => void): void
  free(): void
}

/** Decodes the main picture of a HEIC file, turned as the camera was held. Throws if it cannot. */
export async function decodeHeic(bytes: Uint8Array): Promise<Pixels> {
  const library = await loadLibrary()
  const images = new library.HeifDecoder().decode(bytes)
  try {
    const image = images.find((each) => each.is_primary()) ?? images[0]
    if (image === undefined) throw new Error('The picture is damaged or has no image that can be decoded.')
    const [width, height] = [image.get_width(), image.get_height()]
    if (width < 1 || height < 1 || width * height > maxPixels)
      throw new Error('The picture is damaged or has more than 100 megapixels.')
    const target = { data: new Uint8ClampedArray(width * height * 4), width, height }
    return await new Promise((resolve, reject) => {
      image.display(target, (pixels) => {
        if (pixels === null) reject(new Error('The picture is damaged or uses a codec that cannot be decoded.'))
        else resolve(pixels)
      })
    })
  } finally {
    for (const image of images) image.free()
  }
}

let loading: Promise<HeifLibrary> | undefined

/** Two megabytes, so they are loaded for the first picture. */
function loadLibrary(): Promise<HeifLibrary> {
  // @ts-expect-error -- the module has no types
  loading ??= import('libheif-js/wasm-bundle.js').then((module: { default: HeifLibrary }) => module.default)
  return loading
}
