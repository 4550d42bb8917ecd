package import Bluetooth
package import Engine
import Families
import Hex
package import Model
import Session

/// The last digits of a label, which are enough to name a device among those that are received now.
package struct LabelDigits: Hashable, Sendable {
  /// Hexadecimal, in capitals.
  package let text: String

  /// Nil unless a text is 4 to 11 hex digits, with nothing but separators between them: 12 are a whole label.
  package init?(_ text: String) {
    let digits = text.filter { !" :-.".contains($0) }
    guard (4...11).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      return nil
    }
    self.text = digits.uppercased()
  }

  /// A device without an advertisement within this time is not received now.
  static let freshness = Duration.seconds(30)

  /// The free devices of the room's family whose labels end in the digits, the strongest first. A device says its label's
  /// address itself in a family that has such a rule; in all others its own address is the label's plus the offset.
  /// - Parameters:
  ///   - air: What was received, the newest scan first. A device counts as its newest sighting.
  ///   - taken: The devices of rooms.
  ///   - offset: The accepted difference between the addresses of boards and labels.
  ///   - now: The end of what was received.
  package func offers(
    among air: [AirLedger], for room: Room, except taken: Set<BluetoothAddress>, plus offset: Int,
    now: MonotonicInstant
  ) -> [Walk.Offer] {
    var seen: Set<BluetoothAddress> = []
    let sightings = air.flatMap { $0.nameable(for: room.family.id) }.filter {
      seen.insert($0.address).inserted
    }
    let matching = sightings.filter { sighting in
      guard let last = sighting.lastReceived, last.duration(to: now) <= Self.freshness,
        !taken.contains(sighting.address)
      else { return false }
      return label(of: sighting, plus: offset)?.bytes.hex(uppercase: true).hasSuffix(text) ?? false
    }
    let sorted = matching.sorted {
      ($0.strongest.rssi ?? .min, $1.address) > ($1.strongest.rssi ?? .min, $0.address)
    }
    return sorted.compactMap { sighting in
      guard let label = label(of: sighting, plus: offset) else { return nil }
      return Walk.Offer(sighting, DeviceLabel(label, of: room.family), plus: offset)
    }
  }

  private func label(of sighting: AirLedger.Sighting, plus offset: Int) -> BluetoothAddress? {
    if let label = sighting.labelAddress { return label }
    let (value, isBelow) = sighting.address.rawValue.subtractingReportingOverflow(UInt64(offset))
    return isBelow ? nil : BluetoothAddress(rawValue: value)
  }
}

extension Walk.Offer {
  init(_ sighting: AirLedger.Sighting, _ label: DeviceLabel, plus offset: Int) {
    (device, self.label, self.offset, name) = (sighting.address, label, offset, sighting.name)
    rssi = sighting.strongest.rssi
  }

  /// `RoboSensor, −61 dBm`, for a person who compares it with the room's device.
  package var words: String {
    [name.map { $0.visible }, rssi.map { "\($0) dBm" }].compactMap(\.self).joined(separator: ", ")
  }
}
