static inline int clamp(int value)
{
    if (value > 4095)
        return 4095;
    return value / 3;
}
