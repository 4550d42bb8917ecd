package import Bluetooth

/// The GATT session of a family as data. `FamilyDriver(described:)` carries it out over a link: it discovers the
/// service, waits until the device is ready, reads what it holds, writes the characteristics in their order, and
/// waits for the device's acknowledgement.
package struct Procedure: Hashable, Sendable {
  /// The status that the device reports; nil without one.
  package var status: StatusRule?
  /// Whether everything that is not secret is read before any write. Settings of another room are then refused.
  package var readsFirst: Bool
  /// The values of a device that nobody configured: such a device may be written. Without any, `readsFirst` never
  /// takes a device as new.
  package var factory: [SettingName: SettingValue]
  /// Whether each written characteristic is read back at once, and its bytes compared.
  package var readsBack: Bool
  /// The command that makes the device keep what was written; nil if each write takes effect by itself.
  package var save: SaveCommand?

  package struct SaveCommand: Hashable, Sendable {
    package var characteristic: BluetoothUUID
    package var value: [UInt8]

    package init(_ characteristic: BluetoothUUID, _ value: [UInt8]) {
      (self.characteristic, self.value) = (characteristic, value)
    }
  }

  package init(
    status: StatusRule? = nil, readsFirst: Bool = false, factory: [SettingName: SettingValue] = [:],
    readsBack: Bool = false, save: SaveCommand? = nil
  ) {
    (self.status, self.readsFirst, self.factory) = (status, readsFirst, factory)
    (self.readsBack, self.save) = (readsBack, save)
  }
}

/// The values of a status characteristic that have a meaning.
package struct StatusRule: Hashable, Sendable {
  package var characteristic: BluetoothUUID
  /// The value by which the device reports that it is ready; nil if nothing is waited for.
  package var ready: [UInt8]?
  /// Whether nothing is written without `ready`. Otherwise the session continues after the timeout.
  package var needsReady: Bool
  /// The value by which the device acknowledges the settings; nil if it does not.
  package var saved: [UInt8]?
  /// A value that begins with one of these is a refusal.
  package var refusals: [[UInt8]]

  package init(
    _ characteristic: BluetoothUUID, ready: [UInt8]? = nil, needsReady: Bool = false, saved: [UInt8]? = nil,
    refusals: [[UInt8]] = []
  ) {
    (self.characteristic, self.ready, self.needsReady) = (characteristic, ready, needsReady)
    (self.saved, self.refusals) = (saved, refusals)
  }
}

extension DeviceFamily {
  /// The settings that tell the devices of different rooms apart: those on air, without any those that rooms cannot
  /// share, without any all.
  package var distinguishingSettings: [SettingDescription] {
    let written = settings.filter { $0.isWritten && !$0.isSecret }
    let choices = [written.filter(\.isOnAir), written.filter { !$0.isShareable }]
    return choices.first { !$0.isEmpty } ?? written
  }

  /// The characteristics that a session by `procedure` writes, in order.
  package var written: [CharacteristicDescription] { characteristics.filter { !$0.settings.isEmpty } }

  /// The stages of an attempt by a procedure.
  package static func stages(of procedure: Procedure, _ proof: ProofRule) -> [Stage] {
    let hasSave = procedure.save != nil || procedure.status?.saved != nil || proof.isSelfDisconnect
    return [.search, .connect, .discover] + (procedure.status == nil ? [] : [.ready])
      + (procedure.readsFirst || procedure.readsBack ? [.read] : []) + [.write] + (hasSave ? [.save] : [])
      + (proof == .onAir ? [.verify] : [])
  }
}
