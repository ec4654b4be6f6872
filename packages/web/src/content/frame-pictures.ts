/**
 * Draws what a frame shows, by the figure around it. A frame cannot be copied into a document that is saved or printed,
 * so the document gets a picture.
 */
export const framePictures = new WeakMap<Element, () => Promise<string>>()
