import CPhoto

/// A picture in shades of grey.
package struct GreyPicture: Sendable {
  /// The most pixels of a picture.
  package static let mostPixels = Int(cphoto_most_pixels)

  package let width: Int
  package let height: Int
  /// Row by row, 0 for black.
  package let pixels: [UInt8]

  /// - Throws: `PhotoProblem.noPicture` unless there are `width` × `height` pixels, at most `mostPixels`, and no side is empty or
  ///   longer than 8192.
  package init(width: Int, height: Int, pixels: [UInt8]) throws(PhotoProblem) {
    guard Self.pixels(width, by: height) == pixels.count else { throw .noPicture }
    (self.width, self.height, self.pixels) = (width, height, pixels)
  }

  /// The number of pixels of a picture of this size; nil if there is none.
  static func pixels(_ width: Int, by height: Int) -> Int? {
    let sides = 1...Int(cphoto_longest_side)
    guard sides.contains(width), sides.contains(height), width * height <= mostPixels else { return nil }
    return width * height
  }

  /// As the process that reads it gets it.
  var bytes: [UInt8] {
    [width, height].flatMap { size in (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } } + pixels
  }
}
