import CLinux
import CPhoto
import Dispatch
import EventLoop
import FoundationEssentials
import Glibc
import Host
import Waiting

/// Reads the codes in photos: QR codes, DataMatrix and Code 128. Each photo is read in a process of its own that has no rights
/// (`cphoto_read`), so that a picture that breaks the library reaches nothing. It is in memory only.
package struct PhotoReader: Sendable {
  /// The argument with which the program becomes that process.
  package static let argument = "---read-photo"
  /// The photos that are read at once, whose memory is therefore bounded; others wait.
  private static let places = DispatchSemaphore(value: 2)

  private let command: [String]
  private let limit: Duration

  /// - Parameters:
  ///   - command: The program that calls `becomeReader`; by default the running one.
  ///   - limit: After it, the process is killed.
  package init(
    command: [String] = ["/proc/self/exe", PhotoReader.argument], within limit: Duration = .seconds(20)
  ) {
    (self.command, self.limit) = (command, limit)
  }

  /// The texts of the codes in a picture, each once; none if it has no code that can be read.
  package func texts(in picture: GreyPicture) async throws(PhotoProblem) -> [String] {
    let answer = OneShot<Result<[String], PhotoProblem>>()
    // The process ends with the thread that started it.
    onThreadOfItsOwn { [self] in
      Self.places.wait()
      defer { Self.places.signal() }
      answer.fulfill(Result { () throws(PhotoProblem) in try read(picture) })
    }
    return try await answer.valueEvenIfCancelled().get()
  }

  private func read(_ picture: GreyPicture) throws(PhotoProblem) -> [String] {
    let outcome: ChildProcess.Outcome
    do throws(POSIXError) {
      let input = clinux_memory_file()
      guard input >= 0 else { throw POSIXError.last }
      defer { close(input) }
      try Descriptor.write(picture.bytes, to: input)
      lseek(input, 0, SEEK_SET)
      outcome = try ChildProcess.run(
        command, input: input, within: limit,
        atMost: Int(cphoto_most_texts) * (2 + Int(cphoto_longest_text)))
    } catch {
      throw .notStarted(error.text)
    }
    guard let ending = outcome.ending else {
      throw outcome.wroteTooMuch ? .failed(.killed(SIGTERM)) : .tooLong
    }
    guard ending == .exited(Int32(cphoto_done)), let texts = Self.texts(in: outcome.output) else {
      throw PhotoProblem(ending)
    }
    return texts
  }

  /// The texts of an answer; nil if it is none.
  private static func texts(in answer: [UInt8]) -> [String]? {
    var (texts, rest): ([String], ArraySlice<UInt8>) = ([], answer[...])
    while let low = rest.popFirst() {
      guard let high = rest.popFirst(), rest.count >= Int(high) << 8 | Int(low) else { return nil }
      texts.append(String(decoding: rest.prefix(Int(high) << 8 | Int(low)), as: UTF8.self))
      rest = rest.dropFirst(Int(high) << 8 | Int(low))
    }
    return texts
  }

  /// Makes this process, which has one thread, read a photo and end.
  package static func becomeReader() -> Never { cphoto_read() }
}
