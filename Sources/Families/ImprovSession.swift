import Bluetooth
import Model
import Session

/// The steps of a GATT session with an Improv device after discovery.
///
/// Success is what the device reports after the command of this attempt: a result of the command, or that it tries to
/// join a network and then has joined one. A state that it had before, or that it reaches without trying, shows
/// nothing: its network may have returned.
struct ImprovSession: Sendable {
  /// How long the device may take to show that it got a command. Firmware that kept a part of an earlier command,
  /// whose link was lost, may drop the next one without a sign.
  private static let patience = Duration.milliseconds(2500)
  /// How long the result, which has the URL, may follow the state.
  private static let courtesy = Duration.seconds(1)
  /// How often the command is sent at most.
  private static let mostCommands = 3
  /// More bytes than a command has: they make the device drop a part of an earlier one.
  private static let flushLength = 260

  let session: DeviceSession
  let device: ImprovLink

  // MARK: Before the command

  /// Subscribes to everything that the device reports, and reads its capabilities.
  func open() async throws(AttemptFailure) -> ImprovCapabilities {
    try await session.stage(.read) { () throws(CentralError) in
      for uuid in [Improv.Attribute.state, Improv.Attribute.error, Improv.Attribute.result] {
        do throws(CentralError) {
          try await device.subscribe(to: uuid)
        } catch {
          // Its state is then read instead.
          guard case .att = error.code else { throw error }
          await session.received("no notifications: \(error.stackText ?? "\(error.code)")", as: .other)
        }
      }
      return try await device.capabilities()
    }
  }

  /// Waits until the device accepts commands: for a person at its button, or for the end of a command of another
  /// client.
  /// - Throws: `authorizationRequired` when nobody pressed the button; `settingsUnknown` when it has joined a network.
  /// - Returns: whether it is ready; false for a device at work that the operator permits to write.
  @discardableResult
  func waitUntilReady() async throws(AttemptFailure) -> Bool {
    var last: ImprovState?
    while true {
      let before = last
      let state: ImprovState
      do throws(AttemptFailure) {
        state = try await session.stage(.ready) { () throws(CentralError) in
          try await change(from: before)
        }
      } catch {
        guard before == .locked, error.reason.code == .stageTimedOut else { throw error }
        throw AttemptFailure(.authorizationRequired)
      }
      await session.received(ImprovReport.state(state.rawValue).text, as: state == .ready ? .ready : .other)
      switch state {
      case .ready: return true
      case .locked: session.awaitOperator(.authorizationRequired)
      case .joining: break
      case .online:
        // Unless it accepted a command with these settings, nobody knows which network it is.
        guard session.mayOverwrite || session.recorded?.wasAccepted == true else {
          throw AttemptFailure(.settingsUnknown(nil))
        }
        return false
      }
      last = state
    }
  }

  /// The state of the device, once it is another one.
  private func change(from before: ImprovState?) async throws(CentralError) -> ImprovState {
    var mark = device.feed.count
    while true {
      let value = try await device.byte(Improv.Attribute.state)
      if let state = value.flatMap(ImprovState.init), state != before { return state }
      let report = try await device.next(since: &mark, within: Self.patience)?.report
      if case .state(let value)? = report, let state = ImprovState(rawValue: value), state != before {
        return state
      }
    }
  }

  /// Records what the device is. Nothing depends on it, so no answer is no failure.
  func askWhatItIs() async throws(AttemptFailure) {
    let frame: ImprovFrame?
    do throws(AttemptFailure) {
      frame = try await session.stage(.read) { () throws(CentralError) in
        try await device.answer(to: .deviceInfo, within: .seconds(3))
      }
    } catch {
      guard error.reason.isATTError else { throw error }
      return
    }
    let names: [DeviceDetail.Name] = [
      .firmware, .firmwareVersion, .hardware, .deviceName, .system, .systemVersion,
    ]
    session.describe(zip(names, frame?.strings ?? []).map { DeviceDetail($0, $1) })
  }

  // MARK: The command

  /// Gives the device its network, and waits for what it reports.
  func join() async throws(AttemptFailure) -> Submission {
    let command = Self.command(for: session.room)
    var submission = Submission(at: try await session.submit(), acknowledgement: nil)
    for number in 1...Self.mostCommands {
      switch await result(of: command, from: submission.at, isRepeated: number > 1) {
      case .answered(.joined(let url)):
        await session.received("provisioned", as: .saved)
        session.describe(url.map { [DeviceDetail(.url, $0)] } ?? [])
        submission.acknowledgement = .savedStatus
        return submission
      case .answered(.failed(let code)):
        let reason =
          code.map { .wifiRefused(.unknown, deviceText: ImprovReport.error($0).text) }
          ?? FailureReason.gaveUpJoining
        await session.received(reason.deviceText ?? "", as: .refusal)
        throw AttemptFailure(reason)
      case .answered(.refused(let code)):
        try await refuse(code)
      case .answered(.unclear):
        return submission
      case .answered(.notReady):
        // A device at work may accept settings only after its reset.
        if try await !waitUntilReady() { try await refuse(ImprovError.notAuthorized.rawValue) }
      case .answered(.lost):
        if number < Self.mostCommands { try await flush() }
      case .failed(let failure, let isAccepted):
        // Only its present state shows that it took nothing.
        if failure.reason.isATTError, await isReady() { throw failure }
        (submission.problem, submission.isUnderWay) = (failure.reason, isAccepted == true)
        submission.isAccepted = await session.progress.isAccepted
        return submission
      }
    }
    // After each command it was ready as before.
    throw AttemptFailure(.stageTimedOut(FailedStep(.save)))
  }

  private func refuse(_ code: UInt8) async throws(AttemptFailure) -> Never {
    let text = ImprovReport.error(code).text
    await session.received(text, as: .refusal)
    throw AttemptFailure(.refused(stage: .save, deviceText: text))
  }

  private static func command(for room: Room) -> ImprovFrame {
    let password: String =
      if case .secret(let secret)? = room.settings[.wifiPassword] { secret.reveal() } else { "" }
    guard case .text(let ssid)? = room.settings[.wifiSSID],
      let frame = ImprovFrame(.wifi, strings: [Array(ssid.utf8), Array(password.utf8)])
    else { preconditionFailure("the settings of a room must be checked") }
    return frame
  }

  private enum Result: Sendable {
    case answered(ImprovAnswer)
    /// The session failed; the device may have got the command.
    case failed(AttemptFailure, isAccepted: Bool?)
  }

  /// Sends the command, and waits for what the device does with it.
  private func result(
    of command: ImprovFrame, from submittedAt: MonotonicInstant, isRepeated: Bool
  ) async -> Result {
    let mark = device.feed.count
    let settings = [SettingName.wifiSSID, .wifiPassword].filter { session.room.settings[$0] != nil }
    do throws(AttemptFailure) {
      try await session.sending(settings) { () throws(CentralError) in try await device.send(command) }
      await session.received("it confirmed the whole command", as: .accepted)
      await session.confirmWritten(settings)
      return .answered(
        try await session.stage(.save) { () throws(CentralError) in
          try await answer(since: mark, from: submittedAt, isRepeated: isRepeated)
        })
    } catch {
      // What it reported before the link was lost still counts.
      var judge = ImprovJudge(isRepeated: isRepeated)
      if let late = await lateAnswer(since: mark, from: submittedAt, &judge) { return .answered(late) }
      return .failed(error, isAccepted: judge.isAccepted)
    }
  }

  private func answer(
    since start: Int, from submittedAt: MonotonicInstant, isRepeated: Bool
  ) async throws(CentralError) -> ImprovAnswer {
    var judge = ImprovJudge(isRepeated: isRepeated)
    var mark = start
    // A device that reports without end what cannot be read is never silent.
    var end: MonotonicInstant?
    while true {
      if end == nil, judge.isOnline { end = session.clock.now.advanced(by: Self.courtesy) }
      let rest = end.map { session.clock.now.duration(to: $0) } ?? Self.patience
      if rest > .zero, let arrival = try await device.next(since: &mark, within: rest) {
        if let answer = await take(arrival, from: submittedAt, &judge) { return answer }
      } else if let answer = judge.answerWhenSilent {
        return answer
      } else if let state = try await device.byte(Improv.Attribute.state) {
        let shown = (report: ImprovReport.state(state), at: session.clock.now)
        if let answer = await take(shown, from: submittedAt, &judge) { return answer }
        if judge.showsNothing { return .lost }
      }
    }
  }

  /// Takes a report from after the submission, and records what it shows of the command.
  private func take(
    _ arrival: ImprovLink.Arrival, from submittedAt: MonotonicInstant, _ judge: inout ImprovJudge
  ) async -> ImprovAnswer? {
    guard arrival.at >= submittedAt else { return nil }
    let before = judge.isAccepted
    let answer = judge.take(arrival.report)
    let meaning: StatusMeaning =
      switch judge.isAccepted {
      case before, nil: .other
      case true?: .accepted
      case false?: .notAccepted
      }
    if answer == nil || meaning == .notAccepted {
      await session.received(arrival.report.text, as: meaning)
    }
    return answer
  }

  /// What the reports that arrived, or still arrive, show; nil when they decide nothing.
  private func lateAnswer(
    since start: Int, from submittedAt: MonotonicInstant, _ judge: inout ImprovJudge
  ) async -> ImprovAnswer? {
    var mark = start
    let end = session.clock.now.advanced(by: Self.courtesy)
    while case let rest = session.clock.now.duration(to: end), rest > .zero,
      let arrival = try? await device.next(since: &mark, within: rest)
    {
      switch await take(arrival, from: submittedAt, &judge) {
      case .joined(let url): return .joined(url: url)
      case .failed(let code): return .failed(code)
      case .refused(let code): return .refused(code)
      case .unclear, .notReady, .lost, nil: break
      }
    }
    if case .joined(let url)? = judge.answerWhenSilent { return .joined(url: url) }
    return nil
  }

  private func isReady() async -> Bool {
    guard let state = try? await device.byte(Improv.Attribute.state) else { return false }
    return state == ImprovState.ready.rawValue || state == ImprovState.locked.rawValue
  }

  /// Makes the device drop a part of an earlier command: more zeros than any command has are a command that no
  /// firmware knows, with a wrong length.
  private func flush() async throws(AttemptFailure) {
    do throws(AttemptFailure) {
      try await session.stage(.write) { () throws(CentralError) in
        try await device.send([UInt8](repeating: 0, count: Self.flushLength))
      }
    } catch {
      guard error.reason.isATTError else { throw error }
    }
  }
}
