/// What a device did with a command that gives it a network.
package enum ImprovAnswer: Hashable, Sendable {
  /// It joined the network; with the URL at which it can be reached, if it gave one.
  case joined(url: String?)
  /// It tried to join and could not, with the error that it reported.
  case failed(UInt8?)
  case refused(UInt8)
  /// It does not accept commands now.
  case notReady
  /// It shows no sign of the command, or got other bytes.
  case lost
  /// It has joined a network, and nothing shows that it did so by the command.
  case unclear
}

/// Decides from the reports of a device since a command what it did with it. Pure: one report at a time.
package struct ImprovJudge: Sendable {
  /// Whether a command was sent before that may still be under way: then the device may refuse this one, and its
  /// states may be those of the earlier one.
  private let isRepeated: Bool
  /// Whether it tries, or tried, to join a network.
  private var isJoining = false
  /// Whether it has joined a network.
  package private(set) var isOnline = false
  /// Whether only a result shows that it joined the network of this session.
  private var needsResult = false
  /// Whether it does not carry out the command.
  private var isRejected = false

  package init(isRepeated: Bool) { self.isRepeated = isRepeated }

  /// Whether nothing shows that it got the command.
  package var showsNothing: Bool { !isJoining && !isOnline }

  /// Whether it carries out this command; nil as long as nothing shows it.
  package var isAccepted: Bool? {
    if isRejected || needsResult || isOnline && !isJoining { return false }
    return isJoining ? true : nil
  }

  /// The answer when a device that has joined a network reports nothing more; nil before.
  package var answerWhenSilent: ImprovAnswer? {
    guard isOnline else { return nil }
    return isJoining && !needsResult ? .joined(url: nil) : .unclear
  }

  /// Takes a report; returns the answer once it decides.
  package mutating func take(_ report: ImprovReport) -> ImprovAnswer? {
    switch report {
    case .result(let frame) where frame.command == ImprovFrame.Command.wifi.rawValue:
      guard let strings = frame.strings else { return nil }
      return .joined(url: strings.first.flatMap { $0.isEmpty ? nil : $0 })
    case .result, .unreadable: return nil
    case .error(let code): return take(error: code)
    case .state(let code): return take(ImprovState(rawValue: code))
    }
  }

  private mutating func take(error code: UInt8) -> ImprovAnswer? {
    if code != 0, code != ImprovError.unableToConnect.rawValue { isRejected = !isJoining }
    switch ImprovError(rawValue: code) {
    case _ where code == 0: return nil
    case .unableToConnect: return .failed(code)
    case .invalidPacket where !isJoining: return .lost
    case .notAuthorized where isRepeated || isJoining:
      needsResult = true
      return nil
    case .notAuthorized: return .notReady
    case .invalidPacket, .unknownCommand, .badHostname, .unknown, nil: return .refused(code)
    }
  }

  private mutating func take(_ state: ImprovState?) -> ImprovAnswer? {
    switch state {
    case .locked, .ready:
      if isJoining { return .failed(nil) }
      return state == .locked ? .notReady : nil
    case .joining: isJoining = true
    case .online: isOnline = true
    case nil: break
    }
    return nil
  }
}
