import EventLoop

/// A connection that the bus has not named yet: libdbus authenticates, and the bus answers to Hello. It is the loop's work,
/// so any number of them wait beside each other, and none holds a lock of libdbus.
///
/// `@unchecked Sendable`: only the loop's thread uses it.
final class Registration: LoopSource, @unchecked Sendable {
  typealias Outcome = Result<(link: Link, name: BusName), DBusError>

  private let link: Link
  private let hello: UInt32
  private let onEnd: @Sendable (Outcome) -> Void

  /// - Parameter onEnd: Called once, on the loop's thread. It is not called when this object is released before.
  /// - Throws: `disconnected`, `overloaded`.
  init(of link: Link, onEnd: @escaping @Sendable (Outcome) -> Void) throws(DBusError) {
    self.link = link
    self.onEnd = onEnd
    hello = try link.send(OutgoingMessage(.toBus("Hello", [])))
  }

  func takeTurn(isReady: Bool) -> LoopInterest? {
    if isReady { link.readAndWrite() }
    while let message = link.next() {
      guard case .answer(hello, let answer) = message else { continue }
      onEnd(answer.flatMap(named))
      return nil
    }
    guard link.isConnected else {
      onEnd(.failure(link.refusal))
      return nil
    }
    return LoopInterest(
      descriptor: link.descriptor, wantsToWrite: link.hasMoreToWrite, hasMore: link.hasMoreToRead)
  }

  private func named(_ answer: [DBusValue]) -> Outcome {
    guard let name = answer.first?.asString.flatMap({ BusName($0) }), name.isUnique else {
      return .failure(.badMessage("the bus gave no name"))
    }
    return .success((link, name))
  }
}
