import type { Approval, Rect } from '@deskhand/core/model'
import { useState } from 'react'
import { wanted } from '../../state/sentences.ts'
import { TEXT } from '../../text.ts'

/** What the element in question looks like, outlined in its surroundings. */
export function Crop({ approval, address }: { approval: Approval; address: string }) {
  const [isGone, setGone] = useState(false)
  const target = approval.targets[0]
  const outline = outlineIn(approval.cropArea, target?.region ?? target?.bounds)
  if (isGone) return null
  return (
    <div className="crop">
      <img src={address} alt={TEXT.cropOf(wanted(approval))} onError={() => setGone(true)} />
      {outline !== undefined && <span className="mark" style={outline} />}
    </div>
  )
}

/** The place of an element within a picture, in parts of the picture's size: it holds at every size that the picture is shown in. */
function outlineIn(area: Rect | undefined, bounds: Rect | undefined): React.CSSProperties | undefined {
  if (area === undefined || bounds === undefined || area.w <= 0 || area.h <= 0) return undefined
  const percent = (part: number): string => `${part * 100}%`
  return {
    left: percent((bounds.x - area.x) / area.w),
    top: percent((bounds.y - area.y) / area.h),
    width: percent(bounds.w / area.w),
    height: percent(bounds.h / area.h),
  }
}
