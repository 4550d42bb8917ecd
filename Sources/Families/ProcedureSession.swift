import Bluetooth
import Model
import Session
import Waiting

/// A GATT session by a procedure, once the device is ready.
struct ProcedureSession: Sendable {
  private let procedure: Procedure
  private let family: DeviceFamily
  private let session: DeviceSession
  private let link: any Peripheral
  private let services: [RemoteService]

  /// A characteristic and the bytes to write.
  private struct Change {
    var characteristic: CharacteristicDescription
    var bytes: [UInt8]
  }

  init(
    _ procedure: Procedure, _ family: DeviceFamily, _ session: DeviceSession, _ link: any Peripheral,
    _ services: [RemoteService]
  ) {
    (self.procedure, self.family, self.session) = (procedure, family, session)
    (self.link, self.services) = (link, services)
  }

  /// - Throws: `serviceMissing` when a characteristic is missing although `discover` required it.
  func find(_ uuid: BluetoothUUID) throws(AttemptFailure) -> RemoteCharacteristic {
    guard let found = services.lazy.compactMap({ $0[uuid] }).first else {
      throw AttemptFailure(.serviceMissing(FailedStep(.discover)))
    }
    return found
  }

  /// Unlocks, reads, writes and saves.
  func apply(_ status: StatusFollower?) async throws(AttemptFailure) -> Submission {
    if let unlock = procedure.unlock, !unlock.isOnce { try await self.unlock(by: unlock, status) }
    let changes: [Change]
    if procedure.readsFirst {
      let held = try await readAll()
      try await checkOwner(of: held)
      changes = withoutKnown(try self.changes(from: held))
      let changed = Set(changes.flatMap(\.characteristic.settings))
      let read = family.written.filter(family.isReadable).flatMap(own)
      await session.confirmReadBack(read.filter { !changed.contains($0) })
      if changes.isEmpty {
        return Submission(at: session.clock.now, acknowledgement: .readBack, isUnchanged: true)
      }
    } else {
      // A room without a value writes none: empty values never replace valid ones.
      changes = family.written.compactMap { description in
        family.encode(description, session.room.settings).map {
          Change(characteristic: description, bytes: $0)
        }
      }
    }
    guard procedure.save == nil else {
      try await write(changes, status)
      return try await save(status)
    }
    return try await writeForGood(changes, status)
  }

  // MARK: Writing

  private func write(
    _ changes: some Sequence<Change>, _ status: StatusFollower?
  ) async throws(AttemptFailure) {
    for change in changes {
      let answers = status?.fromNow
      do throws(AttemptFailure) {
        try await session.write(
          change.bytes, of: own(change.characteristic), to: try find(change.characteristic.uuid), over: link,
          change.characteristic.isConfirmed ? .withResponse : .withoutResponse)
      } catch {
        // The device's own message is the better reason.
        try await status?.throwRefusal()
        throw error
      }
      try await wait(for: change.characteristic.answer, answers, stage: .write)
      try await status?.throwRefusal()
      if procedure.readsBack, family.isReadable(change.characteristic) { try await readBack(change) }
    }
  }

  /// Waits until the device has answered a write.
  /// - Throws: `refused` for another answer than the wanted one.
  private func wait(
    for wanted: StatusPattern?, _ answers: StatusFollower?, stage: Stage
  ) async throws(AttemptFailure) {
    guard let wanted, let answers else { return }
    let (status, isWanted) = try await session.stage(stage) { () throws(CentralError) in
      try await answers.wait(for: wanted)
    }
    await session.received(status.text, as: isWanted ? .other : .refusal)
    if !isWanted { throw AttemptFailure(.refused(stage: stage, deviceText: status.text)) }
  }

  /// Writes the code that lets the session in. A device without a code for its room is not locked.
  /// - Throws: `credentialsRefused`; a further attempt with a wrong code could lock the device for good.
  private func unlock(by unlock: Procedure.Unlock, _ status: StatusFollower?) async throws(AttemptFailure) {
    let room = session.room
    guard let code = family.encode(unlock.code, room.settings.merging(room.access) { $1 }) else { return }
    let characteristic = try find(unlock.uuid)
    let answers = status?.fromNow
    do throws(AttemptFailure) {
      try await session.sending([]) { () throws(CentralError) in
        try await link.write(
          code, to: characteristic, unlock.code.isConfirmed ? .withResponse : .withoutResponse)
      }
      try await wait(for: unlock.code.answer, answers, stage: .write)
      try await status?.throwRefusal()
    } catch {
      guard [.attributeRejected, .refused].contains(error.reason.code) else { throw error }
      let source = unlock.code.settings.lazy.compactMap { room.origins[$0]?.written }.first
      throw AttemptFailure(.credentialsRefused(FailedStep(.write), source: source))
    }
  }

  /// The room's settings in a characteristic.
  private func own(_ description: CharacteristicDescription) -> [SettingName] {
    description.settings.filter { session.room.settings[$0] != nil }
  }

  /// Writes where each write takes effect by itself, and waits for the device's answer.
  /// - Throws: failures of a device that can be written again: its next attempt begins anew.
  private func writeForGood(
    _ changes: [Change], _ status: StatusFollower?
  ) async throws(AttemptFailure) -> Submission {
    let before = status?.before
    var submission = Submission(at: try await session.submit(), acknowledgement: nil)
    var writtenAt: MonotonicInstant?
    do throws(AttemptFailure) {
      if let unlock = procedure.unlock, unlock.isOnce { try await self.unlock(by: unlock, status) }
      try await write(changes.dropLast(), status)
      writtenAt = session.clock.now
      try await write(changes.suffix(1), status)
    } catch {
      // A device that ends the link may do so before it confirms the last write; the instant of the end decides.
      let mayHaveLeft = family.proof.isSelfDisconnect && writtenAt != nil && error.reason.code == .linkLost
      if !mayHaveLeft {
        if family.lifecycle.isRewritable { throw error }
        submission.problem = error.reason
        return submission
      }
    }
    submission.acknowledgement = procedure.readsBack ? .readBack : nil
    return try await answer(to: submission, status, since: writtenAt ?? submission.at, before)
  }

  /// Submits the save command and waits for the device's answer. After the submission no error is a failure yet: the
  /// result of this function carries it.
  private func save(_ status: StatusFollower?) async throws(AttemptFailure) -> Submission {
    let before = status?.before
    let submission = Submission(at: try await session.submit(), acknowledgement: nil)
    return try await answer(to: submission, status, since: submission.at, before)
  }

  /// Sends the save command, if the family has one, and waits for `saved`, a refusal, or the end of the link, whichever
  /// the family has. A refusal always counts, also one that comes with the loss of the link, or after `saved`.
  /// - Parameter instant: An answer from before it does not count.
  private func answer(
    to submission: Submission, _ status: StatusFollower?, since instant: MonotonicInstant,
    _ before: [UInt8]?
  ) async throws(AttemptFailure) -> Submission {
    var submission = submission
    let command = procedure.save
    let characteristic: RemoteCharacteristic? =
      if let command { try find(command.characteristic) } else { nil }
    let answers = procedure.status?.saved.isEmpty == false ? status : nil
    if command != nil || answers != nil {
      do throws(AttemptFailure) {
        let answer = try await session.stage(.save) { () throws(CentralError) -> DeviceStatus? in
          if let command, let characteristic {
            try await link.write(command.value, to: characteristic, .withResponse)
          }
          return try await answers?.waitForAnswer(since: instant, before)
        }
        if let answer {
          await take(answer, &submission)
          if answer.meaning == .saved, !family.lifecycle.isRewritable { await waitForReboot() }
        }
      } catch {
        submission.problem = error.reason
        // The response and the reboot can come within milliseconds of each other, in either order.
        if let answer = await answers?.lateAnswer(since: instant) { await take(answer, &submission) }
      }
    }
    if case .selfDisconnect(let limit) = family.proof {
      submission = try await session.waitUntilItLeaves(
        link, within: limit, submission, writtenAt: instant, family.written.flatMap(own))
    }
    if submission.acknowledgement != nil, let refusal = status?.refusal {
      await take(refusal, &submission)
    }
    return submission
  }

  private func take(_ answer: DeviceStatus, _ submission: inout Submission) async {
    await session.received(answer.text, as: answer.meaning == .saved ? .saved : .refusal)
    if answer.meaning == .saved {
      // What was read back is the proof of some families, and stronger.
      if family.proof != .readBack { submission.acknowledgement = .savedStatus }
    } else {
      submission.acknowledgement = nil
      submission.problem = .refused(stage: .save, deviceText: answer.text)
    }
  }

  /// After `saved` the device reboots, which ends the link at no cost; a `Disconnect` takes 2 s.
  private func waitForReboot() async {
    _ = await race(.seconds(3), on: session.clock) { () throws(CentralError) in
      await link.disconnection()
    }
  }
}

// MARK: Reading

extension ProcedureSession {
  /// What a device holds.
  private struct Held {
    var bytes: [BluetoothUUID: [UInt8]] = [:]
    /// The values that could be decoded.
    var values: [SettingName: SettingValue] = [:]
    var shown: [HeldSetting] = []
  }

  /// Whether a device that holds everything is left alone: one that is proved by its own answer must be written.
  private var skipsEqual: Bool { family.proof == .onAir || family.proof == .readBack }

  private var distinguishing: [SettingName] { family.distinguishingSettings.map(\.name) }

  private func readAll() async throws(AttemptFailure) -> Held {
    var held = Held()
    for description in family.written where family.isReadable(description) {
      let bytes = try await read(description)
      held.bytes[description.uuid] = bytes
      held.values.merge(family.decode(description, bytes)) { first, _ in first }
      held.shown = family.held(description, bytes) + held.shown
    }
    return held
  }

  private func read(_ description: CharacteristicDescription) async throws(AttemptFailure) -> [UInt8] {
    try await session.read(description.settings[0], from: try find(description.uuid), over: link)
  }

  /// - Throws: `foreignSettings` when the device holds those of another room, and may not be overwritten.
  private func checkOwner(of held: Held) async throws(AttemptFailure) {
    await session.found(held.shown)
    let isNew =
      !procedure.factory.isEmpty && procedure.factory.allSatisfy { held.values[$0.key] == $0.value }
    // A value that cannot be decoded matches no room.
    let identity = Dictionary(
      uniqueKeysWithValues: distinguishing.map { ($0, held.values[$0] ?? .text("")) })
    guard !isNew, !session.mayWrite(over: identity) else { return }
    let shown = held.shown.filter { distinguishing.contains($0.name) }.map { "\($0.name) \($0.value)" }
    throw AttemptFailure(.foreignSettings(held: shown.joined(separator: ", "), .reading))
  }

  /// The changes so that the device holds the room's settings; settings that are not given keep their value. A device
  /// that is proved by its answer gets everything.
  /// - Throws: `readBackMismatch` when a value to keep cannot be encoded.
  private func changes(from held: Held) throws(AttemptFailure) -> [Change] {
    let wanted = session.room.settings
    let values = held.values.merging(wanted) { $1 }
    var changes: [Change] = []
    for description in family.written where description.settings.contains(where: { wanted[$0] != nil }) {
      let before = held.bytes[description.uuid]
      guard let bytes = family.encode(description, values) else {
        throw mismatch(description, before ?? [], instead: values)
      }
      if bytes != before || !skipsEqual { changes.append(Change(characteristic: description, bytes: bytes)) }
    }
    return changes
  }

  /// No changes if all are of what cannot be read, and the record proves that the device has it.
  private func withoutKnown(_ changes: [Change]) -> [Change] {
    guard skipsEqual, session.recorded?.isProved == true else { return changes }
    return changes.contains { family.isReadable($0.characteristic) } ? changes : []
  }

  /// - Throws: `readBackMismatch` when the device holds other bytes than were written.
  private func readBack(_ change: Change) async throws(AttemptFailure) {
    let bytes = try await read(change.characteristic)
    guard bytes == change.bytes else {
      throw mismatch(
        change.characteristic, bytes, instead: family.decode(change.characteristic, change.bytes))
    }
    await session.confirmReadBack(own(change.characteristic))
  }

  /// The failure for the first setting of a characteristic that differs.
  private func mismatch(
    _ description: CharacteristicDescription, _ bytes: [UInt8], instead wanted: [SettingName: SettingValue]
  ) -> AttemptFailure {
    let values = family.decode(description, bytes)
    let setting = description.settings.first { values[$0] == nil || values[$0] != wanted[$0] }
    let held = family.held(description, bytes).map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    return AttemptFailure(.readBackMismatch(setting: setting ?? description.settings[0], held: held))
  }
}
