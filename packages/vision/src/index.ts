export { cropped, type Picture } from './image/picture.ts'
export { CONFIDENCE, Vision, type Needle, type VisionOptions } from './vision.ts'
