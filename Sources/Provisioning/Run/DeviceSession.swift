
/// placeholder
public struct DeviceSession: Sendable {}
