package import Bluetooth

/// A fault of a virtual sensor that a scenario can order: common faults, faults of the Robo Sensor, and
/// faults of other families (`own`).
package enum Fault: Hashable, Sendable {
  // MARK: On air

  /// It does not advertise.
  case silent
  /// It advertises, but connection attempts neither succeed nor fail.
  case neverAnswers
  /// It advertises that it takes no connection, as some devices do while a phone is connected to them.
  case takesNoConnection
  /// It takes 1 s longer for every response (and 10 s longer for the service discovery).
  case slow
  /// It connects, but the stack has an outdated attribute table, in which the sensor's service lacks a
  /// characteristic, until the stack forgets the sensor.
  case staleAttributes
  /// Each of its characteristics is there twice.
  case twoCharacteristics
  /// Each of its services is there twice.
  case twoServices
  /// In 30 % of its connections some characteristics become visible up to 95 ms after the stack reports
  /// "resolved", as measured on an overloaded computer (docs/internals/bluez.md).
  case lateCharacteristics
  /// The link is lost in this stage.
  case drops(in: DropStage)

  /// It responds to writes of this characteristic with this ATT error.
  case rejectsWrite(to: BluetoothUUID, code: UInt8)
  case pairing(PairingFault)
  case own(FamilyFault)

  // MARK: Robo Sensor: provisioning

  /// It never reports `ready`; its status stays empty.
  case noReady
  /// It refuses subscriptions (the CCCD cannot be written).
  case refusesSubscription
  /// Its status is `error:<text>` from an earlier attempt, until the first write.
  case staleError(String)
  /// Its status is `error:<text>` from an earlier attempt, until it saves or restarts.
  case lastingError(String)
  /// It confirms the first write, then reports `error:<text>` and refuses to save.
  case errorAfterFirstWrite(String)

  // MARK: Robo Sensor: SAVE and later

  /// It reports `error:<text>` on `SAVE` and does not save.
  case errorOnSave(String)
  /// It refuses `SAVE` without an SSID.
  case savesOnlyWithSSID
  /// It saves and restarts, but never reports `saved`.
  case noSaved
  /// It restarts on `SAVE` before it confirms anything. `saved` is whether it had saved by then.
  case restartsBeforeConfirming(saved: Bool)
  /// It leaves provisioning mode on `SAVE` with the settings that it held before; a factory-fresh sensor stays
  /// in it. With `wifiOnly` it saves the other settings, and holds its earlier WiFi name and password.
  case saveNotKept(SaveAnswer, wifiOnly: Bool = false)
  /// It reports `saved`, but advertises this minor afterwards.
  case returnsWithMinor(UInt16)
  /// It reports `saved` and never advertises again.
  case neverReturns
  /// It saves, and its beacon has this address afterwards. This is a firmware that changes its address, or a
  /// sensor that stops advertising while another device has its minor; a host cannot distinguish these.
  case returnsFrom(BluetoothAddress)
  /// It reports `error:<text>` on `SAVE`, does not save and stops advertising. Afterwards another device with
  /// this address advertises the written minor.
  case refusesForStranger(String, BluetoothAddress)

  // MARK: Robo Sensor: always

  /// It has an older firmware, without the WiFi scan characteristic.
  case withoutWiFiScan

  /// What a sensor that does not keep its settings answers to `SAVE`.
  package enum SaveAnswer: Hashable, Sendable {
    /// The status `error:<text>`.
    case error(String)
    case attError(UInt8)
    /// Nothing: the link is lost.
    case silence
  }

  /// The stage at which a link is lost.
  package enum DropStage: Hashable, Sendable {
    /// During the connection attempt, which fails.
    case connect
    /// During service discovery.
    case discover
    /// At the subscription to the status.
    case subscribe
    /// At the write of the `n`th setting, counted from 1. The write is lost too.
    case write(Int)
    /// After the device has accepted the `n`th setting; only the confirmation is lost.
    case confirm(Int)
    /// At `SAVE`, which is lost too.
    case save

    /// The names of the stages in scenarios.
    package enum Name: String, Sendable {
      case connect
      case discover
      case subscribe
      /// Before a setting is accepted.
      case write
      /// After a setting was accepted.
      case confirm
      /// At `SAVE`.
      case save

      /// Returns the stage; only writes use the number.
      func numbered(_ number: Int) -> Fault.DropStage {
        switch self {
        case .connect: .connect
        case .discover: .discover
        case .subscribe: .subscribe
        case .write: .write(number)
        case .confirm: .confirm(number)
        case .save: .save
        }
      }
    }
  }
}

/// A fault that only devices of one family have.
package struct FamilyFault: Hashable, Sendable {
  package var name: String
  package var characteristic: BluetoothUUID?

  /// A fault of a family's own.
  package init(_ name: String, _ characteristic: BluetoothUUID? = nil) {
    self.name = name
    self.characteristic = characteristic
  }
}

/// A fault, and the attempts in which it occurs.
package struct ScheduledFault: Hashable, Sendable {
  /// What goes wrong.
  package var fault: Fault
  /// The number of connection attempts, from the first one, in which it occurs; nil for all. `silent` and
  /// `withoutWiFiScan` do not depend on a connection: they last until this number of attempts was made.
  package var attempts: Int?

  package init(_ fault: Fault, attempts: Int? = nil) {
    self.fault = fault
    self.attempts = attempts
  }

  /// Whether it occurs in this attempt, counted from 1 (0: before any attempt).
  func strikes(inAttempt attempt: Int) -> Bool {
    attempts.map { attempt <= $0 } ?? true
  }
}
