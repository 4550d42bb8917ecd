import CPhoto
package import Host

/// Why a photo was not read.
package enum PhotoProblem: Error, Equatable, Sendable {
  /// The bytes are not those of a picture of this size, or there are too many.
  case noPicture
  /// zxing-cpp, which reads the codes, is not installed.
  case noLibrary
  /// The kernel does not take the rights of the reading process away.
  case notConfined
  /// The reading process did not start, for this reason.
  case notStarted(String)
  /// Reading took too long.
  case tooLong
  /// The reading process failed, or did what it may not.
  case failed(ChildProcess.Ending)

  init(_ ending: ChildProcess.Ending) {
    self =
      switch ending {
      case .exited(Int32(cphoto_refused)): .noPicture
      case .exited(Int32(cphoto_missing)): .noLibrary
      case .exited(Int32(cphoto_unconfined)): .notConfined
      default: .failed(ending)
      }
  }

  /// What happened, as a clause.
  package var words: String {
    switch self {
    case .noPicture: "this is no picture of at most \(GreyPicture.mostPixels / 1_000_000) megapixels"
    case .noLibrary: "zxing-cpp, which reads codes in photos, is not installed"
    case .notConfined: "this kernel has no seccomp, without which no photo is read"
    case .notStarted(let reason): "the program that reads photos did not start: \(reason)"
    case .tooLong: "reading the photo took too long"
    case .failed(let ending): "reading the photo ended with \(ending)"
    }
  }

  /// What to do.
  package var advice: String {
    switch self {
    case .noLibrary:
      "Install it: `sudo apt-get install libzxing3`, on Debian 12 libzxing2. Or type the last four characters."
    case .tooLong, .failed: "Take another photo, closer and straight. Or type the last four characters."
    case .noPicture, .notConfined, .notStarted: "Type the last four characters."
    }
  }
}
