extension PhoneServer {
  /// Reads photos in a process without rights.
  package static let readingPhotos: PhotoReader = { grey, width, height in
    do throws(PhotoProblem) {
      let picture = try GreyPicture(width: width, height: height, pixels: grey)
      return .texts(try await Application.PhotoReader().texts(in: picture))
    } catch {
      return .failure("Not read: \(error.words). \(error.advice)")
    }
  }
}
